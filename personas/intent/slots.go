package intent

import (
	"strings"
)

const (
	maxSlotTexts  = 16
	maxTableWords = 512
)

// slotTable finds the slots of examples: the words that recur in the examples of one choice. A
// message with half of the slots scores less than one with all.
type slotTable struct {
	words   []SlotWord
	choices []slotTexts
}

type slotTexts struct {
	texts [][]int
	// recurs is the mean similarity of each word to the choice's other examples. apart is the part
	// of it that exceeds the similarity to other choices. Both are from 0 to 1.
	recurs, apart [][]float64
}

func newSlotTable(examples [][][]SlotWord) *slotTable {
	t := &slotTable{choices: make([]slotTexts, len(examples))}
	numbers := make(map[string]int)
	for k := range examples {
		for _, words := range examples[k] {
			t.choices[k].texts = append(t.choices[k].texts, t.numberWords(numbers, words))
		}
	}
	near := t.compareWords(t.words)
	for k := range t.choices {
		t.noteRecurring(k, near)
	}
	return t
}

func (t *slotTable) numberWords(numbers map[string]int, words []SlotWord) []int {
	out := make([]int, 0, len(words))
	for i := range words {
		n, known := numbers[words[i].Text]
		if !known {
			if len(t.words) == maxTableWords {
				continue
			}
			n = len(t.words)
			numbers[words[i].Text] = n
			t.words = append(t.words, words[i])
		}
		out = append(out, n)
	}
	return out
}

func (t *slotTable) compareWords(said []SlotWord) [][]float64 {
	out := make([][]float64, len(said))
	for i := range said {
		out[i] = make([]float64, len(t.words))
		for w := range t.words {
			out[i][w] = said[i].Likeness(&t.words[w])
		}
	}
	return out
}

func (t *slotTable) noteRecurring(k int, near [][]float64) {
	c := &t.choices[k]
	for e, words := range c.texts {
		recurs, apart := make([]float64, len(words)), make([]float64, len(words))
		for i, w := range words {
			recurs[i] = c.meanLikeness(near[w], e)
			others := 0.0
			for j := range t.choices {
				if j != k {
					others = max(others, t.choices[j].meanLikeness(near[w], -1))
				}
			}
			apart[i] = max(0, recurs[i]-others)
		}
		c.recurs, c.apart = append(c.recurs, recurs), append(c.apart, apart)
	}
}

func (c *slotTexts) meanLikeness(near []float64, without int) float64 {
	sum, n := 0.0, 0
	for e, words := range c.texts {
		if e != without {
			best := 0.0
			for _, w := range words {
				best = max(best, near[w])
			}
			sum += best
			n++
		}
	}
	return sum / float64(max(1, n))
}

type slotMeasures [slotMeasureCount]float64

const (
	sRecurring = iota // mean share of the recurring words of an example that occur in the message
	sNearest          // share of the nearest example that occurs in the message
	sApart            // like sRecurring, for words that recur only in this choice's examples
	sSaid             // share of the message that recurs in the examples
	sSaidApart        // by how much sSaid exceeds that of the other choices
	slotMeasureCount
)

const noWeight = 1e-6

func (t *slotTable) compareMessage(said []SlotWord) []slotMeasures {
	near := t.compareWords(said)
	out := make([]slotMeasures, len(t.choices))
	best := make([]float64, len(t.words))
	for i := range near {
		for w, likeness := range near[i] {
			best[w] = max(best[w], likeness)
		}
	}
	for k := range t.choices {
		t.noteCovered(&out[k], k, best)
	}
	t.noteSaid(out, said, near)
	return out
}

func (t *slotTable) noteCovered(m *slotMeasures, k int, best []float64) {
	c := &t.choices[k]
	n := float64(len(c.texts))
	for e, words := range c.texts {
		var recurring, apart, all weightedShare
		for i, w := range words {
			weight := t.words[w].Weight
			recurring.add(float64(weight*c.recurs[e][i]), best[w])
			apart.add(float64(weight*c.apart[e][i]), best[w])
			all.add(weight, best[w])
		}
		m[sRecurring] += recurring.share() / n
		m[sNearest] = max(m[sNearest], all.share())
		m[sApart] += apart.share() / n
	}
}

type weightedShare struct{ got, whole float64 }

func (s *weightedShare) add(weight, part float64) {
	s.got += float64(weight * part)
	s.whole += weight
}

func (s *weightedShare) share() float64 { return s.got / (s.whole + noWeight) }

func (t *slotTable) noteSaid(out []slotMeasures, said []SlotWord, near [][]float64) {
	whole := noWeight
	means := make([]float64, len(t.choices))
	for i := range said {
		whole += said[i].Weight
		top, second := 0.0, 0.0
		for k := range means {
			means[k] = t.choices[k].meanLikeness(near[i], -1)
			top, second = max(top, means[k]), max(second, min(top, means[k]))
		}
		for k, mean := range means {
			out[k][sSaid] += float64(said[i].Weight * mean)
			if mean == top {
				out[k][sSaidApart] += float64(said[i].Weight * (top - second))
			}
		}
	}
	for k := range out {
		out[k][sSaid] /= whole
		out[k][sSaidApart] /= whole
	}
}

const maxSlotWords = 40

// SlotWord is a content word of a text.
type SlotWord struct {
	Text   string
	Weight float64 // rarity, from 0 to 1
	kind   slotKind
	about  Embedding
}

type slotKind uint8

const (
	knownWord   slotKind = iota // by its meaning
	strangeWord                 // in no dictionary, so usually a name
	numberWord
)

const (
	strangeLikeness, numberLikeness = 0.6, 0.8
	strangeWeight                   = 0.8
	minSlotWeight                   = 0.1
	// slotFloor is the cosine up to which two words have the similarity 0.
	slotFloor = 0.35
)

func (r *Reading) slotWords() []SlotWord {
	out := make([]SlotWord, 0, min(len(r.whole.tokens), maxSlotWords))
	for i := range r.whole.tokens {
		t := &r.whole.tokens[i]
		if len(out) == maxSlotWords {
			break
		}
		if t.kind != wordToken {
			continue
		}
		if w, ok := r.lexicon.slotWord(t); ok {
			out = append(out, w)
		}
	}
	return out
}

func (x *Lexicon) slotWord(t *token) (w SlotWord, ok bool) {
	word, i := t.text, t.vector
	if strings.ContainsAny(word, "0123456789") || isNumberWord(word) {
		return SlotWord{Text: word, Weight: 1, kind: numberWord}, true
	}
	if i == 0 {
		return SlotWord{Text: word, Weight: strangeWeight, kind: strangeWord}, len(word) > 2
	}
	w = SlotWord{Text: word, Weight: x.vectors.weight(i)}
	for k := range dimensions {
		w.about[k] = float32(int8(x.vectors.row(i)[k+1])) //nolint:gosec // the table contains signed bytes
	}
	w.about = w.about.normalized()
	return w, w.Weight >= minSlotWeight
}

func isNumberWord(word string) bool {
	n, unit := units[word]
	return unit && n != 1 || scales[word] > 0
}

// Likeness returns the similarity of two words, from 0 to 1.
func (w *SlotWord) Likeness(other *SlotWord) float64 {
	if w.kind != other.kind {
		return 0
	}
	switch w.kind {
	case numberWord:
		return numberLikeness
	case strangeWord:
		return strangeLikeness
	}
	return max(0, float64(w.about.dot(&other.about))-slotFloor) / (1 - slotFloor)
}
