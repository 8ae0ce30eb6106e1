package intent

const (
	maxSlotTexts  = 16
	maxTableWords = 512
)

// slotTable contains the words that recur in the examples of one choice. A message with half of the
// words scores less than a complete one.
type slotTable struct {
	words   []slotWord
	choices [][]slotText
}

type slotText []struct {
	word int
	// recurs is the mean similarity to the choice's other examples. apart is the excess over the
	// similarity to other choices. Both are from 0 to 1.
	recurs, apart float64
}

func newSlotTable(examples [][][]slotWord) *slotTable {
	t := &slotTable{choices: make([][]slotText, len(examples))}
	numbers := make(map[string]int)
	for k := range examples {
		for _, words := range examples[k] {
			var text slotText
			for _, w := range words {
				n, ok := numbers[w.text]
				if !ok && len(t.words) == maxTableWords {
					continue
				}
				if !ok {
					n = len(t.words)
					numbers[w.text] = n
					t.words = append(t.words, w)
				}
				text = append(text, slotText{{word: n}}...)
			}
			t.choices[k] = append(t.choices[k], text)
		}
	}
	likenesses := t.compareWords(t.words)
	for k := range t.choices {
		t.noteRecurring(k, likenesses)
	}
	return t
}

func (t *slotTable) noteRecurring(k int, likenesses [][]float64) {
	for e, text := range t.choices[k] {
		for i := range text {
			w := &text[i]
			w.recurs = meanLikeness(t.choices[k], likenesses[w.word], e)
			others := 0.0
			for j, other := range t.choices {
				if j != k {
					others = max(others, meanLikeness(other, likenesses[w.word], -1))
				}
			}
			w.apart = max(0, w.recurs-others)
		}
	}
}

func (t *slotTable) compareWords(message []slotWord) [][]float64 {
	out := make([][]float64, len(message))
	for i := range message {
		out[i] = make([]float64, len(t.words))
		for w := range t.words {
			out[i][w] = message[i].likeness(&t.words[w])
		}
	}
	return out
}

func meanLikeness(texts []slotText, near []float64, omitted int) float64 {
	sum, n := 0.0, 0
	for e, text := range texts {
		if e != omitted {
			best := 0.0
			for i := range text {
				best = max(best, near[text[i].word])
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
	sSaidApart        // excess of sSaid over the other choices
	slotMeasureCount
)

const noWeight = 1e-6

func (t *slotTable) compareMessage(message []slotWord) []slotMeasures {
	likenesses := t.compareWords(message)
	out := make([]slotMeasures, len(t.choices))
	best := make([]float64, len(t.words))
	for i := range likenesses {
		for w, likeness := range likenesses[i] {
			best[w] = max(best[w], likeness)
		}
	}
	for k := range t.choices {
		t.noteCovered(&out[k], k, best)
	}
	t.noteSaid(out, message, likenesses)
	return out
}

func (t *slotTable) noteCovered(m *slotMeasures, k int, best []float64) {
	for _, text := range t.choices[k] {
		var got, total [3]float64
		for _, w := range text {
			weight := t.words[w.word].weight
			for i, share := range [...]float64{w.recurs, w.apart, 1} {
				got[i] += float64(float64(weight*share) * best[w.word])
				total[i] += float64(weight * share)
			}
		}
		n := float64(len(t.choices[k]))
		m[sRecurring] += got[0] / (total[0] + noWeight) / n
		m[sApart] += got[1] / (total[1] + noWeight) / n
		m[sNearest] = max(m[sNearest], got[2]/(total[2]+noWeight))
	}
}

func (t *slotTable) noteSaid(out []slotMeasures, message []slotWord, likenesses [][]float64) {
	total := noWeight
	means := make([]float64, len(t.choices))
	for i := range message {
		total += message[i].weight
		top, second := 0.0, 0.0
		for k := range means {
			means[k] = meanLikeness(t.choices[k], likenesses[i], -1)
			top, second = max(top, means[k]), max(second, min(top, means[k]))
		}
		for k, mean := range means {
			out[k][sSaid] += float64(message[i].weight * mean)
			if mean == top {
				out[k][sSaidApart] += float64(message[i].weight * (top - second))
			}
		}
	}
	for k := range out {
		out[k][sSaid] /= total
		out[k][sSaidApart] /= total
	}
}

const maxSlotWords = 40

type slotWord struct {
	text   string
	weight float64 // rarity, from 0 to 1
	kind   slotKind
	about  Embedding
}

type slotKind uint8

const (
	knownWord   slotKind = iota // with a vector
	strangeWord                 // in no dictionary, so usually a name
	numberWord
)

const (
	strangeLikeness, numberLikeness = 0.6, 0.8
	strangeWeight                   = 0.8
	minSlotWeight                   = 0.1
	slotFloor                       = 0.35 // cosine for the similarity 0
)

func (w *slotWord) likeness(other *slotWord) float64 {
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
