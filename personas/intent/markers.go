package intent

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// marks are words that only the examples of one of two passes to the same state have. A café may
// give a point more for an order with "svp", "merci" or "s'il vous plaît".
type marks struct {
	other int // the pass whose examples lack the words
	words map[string]bool
}

const minMarked = 2

func findMarks(choices []choice) map[int]marks {
	out := make(map[int]marks)
	for k := range choices {
		for j := range choices {
			if k != j && choices[k].kind == pass && choices[j].kind == pass && choices[k].target == choices[j].target {
				if words := contrastExamples(&choices[k], &choices[j]); words != nil {
					out[k] = marks{other: j, words: words}
				}
			}
		}
	}
	return out
}

// contrastExamples returns words that together occur in each example of a and in no example of b,
// or nil. It prefers frequent words, then long ones.
func contrastExamples(a, b *choice) map[string]bool {
	with := make(map[string]map[int]bool) // the examples of a that have the word
	for i, e := range a.examples {
		for _, w := range Words(e.Say) {
			if with[w] == nil {
				with[w] = make(map[int]bool)
			}
			with[w][i] = true
		}
	}
	for _, e := range b.examples {
		for _, w := range Words(e.Say) {
			delete(with, w)
		}
	}
	words := slices.SortedFunc(maps.Keys(with), func(v, w string) int {
		return cmp.Or(cmp.Compare(len(with[w]), len(with[v])), cmp.Compare(len(w), len(v)), cmp.Compare(v, w))
	})
	out, covered := make(map[string]bool), make(map[int]bool)
	for _, w := range words {
		before := len(covered)
		if len(with[w]) >= minMarked {
			maps.Copy(covered, with[w])
		}
		if len(covered) > before {
			out[w] = true
		}
	}
	if len(covered) == 0 || len(covered) < len(a.examples) {
		return nil
	}
	return out
}

// chooseMarked returns k, unless pass k differs from another pass only by marks. Then it returns
// the pass with the marks of the message.
func (m *measurement) chooseMarked(k int) int {
	for marked, by := range m.state.marks {
		if k != marked && k != by.other {
			continue
		}
		if slices.ContainsFunc(Words(m.text), by.match) {
			return marked
		}
		return by.other
	}
	return k
}

const minMarkSize = 5

// match reports whether a word is a mark, perhaps misspelled ("plais") or joined with its neighbours
// ("silvouplait").
func (m *marks) match(word string) bool {
	for mark := range m.words {
		if word == mark || len(mark) >= minMarkSize && (strings.Contains(word, mark) || isNear(word, mark)) {
			return true
		}
	}
	return false
}
