package nlu

import "strings"

// maxSlotWords is how many words of a text are compared one by one.
const maxSlotWords = 40

// SlotWord is a word of substance of a text.
type SlotWord struct {
	Text   string
	Weight float64 // how rare it is, from 0 to 1
	kind   slotKind
	about  Embedding
}

// slotKind describes how a word is compared.
type slotKind uint8

const (
	knownWord   slotKind = iota // by its meaning
	strangeWord                 // no dictionary has it: mostly a name
	numberWord
)

const (
	// strangeLikeness is the likeness of two words that no dictionary has, and
	// numberLikeness that of two numbers.
	strangeLikeness, numberLikeness = 0.6, 0.8
	strangeWeight                   = 0.8
	// leastSlotWeight is that of a word of substance.
	leastSlotWeight = 0.1
	// slotFloor is the cosine that any two words may have.
	slotFloor = 0.35
)

// SlotWords returns the words of substance of a text, at most maxSlotWords.
func (r *Reading) SlotWords() []SlotWord {
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
		w.about[k] = float32(int8(x.vectors.row(i)[k+1])) //nolint:gosec // a signed byte, as the table has it
	}
	w.about = w.about.normalized()
	return w, w.Weight >= leastSlotWeight
}

func isNumberWord(word string) bool {
	n, unit := units[word]
	return unit && n != 1 || scales[word] > 0
}

// Likeness of two words, from 0 to 1.
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
	return slotLikeness(w.about.Dot(&other.about))
}

// Likenesses fills out with Likeness to each of some words.
func (w *SlotWord) Likenesses(out []float64, others []SlotWord) {
	for len(others) >= 4 && w.kind == knownWord {
		dots := w.about.DotFour([4]*Embedding{&others[0].about, &others[1].about, &others[2].about, &others[3].about})
		for i, dot := range dots {
			if others[i].kind == knownWord {
				out[i] = slotLikeness(dot)
			}
		}
		out, others = out[4:], others[4:]
	}
	for i := range others {
		out[i] = w.Likeness(&others[i])
	}
}

func slotLikeness(cosine float32) float64 { return max(0, float64(cosine)-slotFloor) / (1 - slotFloor) }
