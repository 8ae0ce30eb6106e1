package intent

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

const minMarked, minMarkSize = 2, 5

// findMarks sets the words that only the examples of one of two passes to the same state have. A
// café may give a point more for an order with "svp", "merci" or "s'il vous plaît".
func findMarks(choices []choice) {
	for k := range choices {
		for j := range choices {
			a, b := &choices[k], &choices[j]
			if k != j && a.kind == pass && b.kind == pass && a.target == b.target {
				if words := contrastExamples(a, b); words != nil {
					a.marked, a.unmarked = words, j
				}
			}
		}
	}
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
// the pass with the marks of the message. A mark may be misspelled ("plais") or joined with its
// neighbours ("silvouplait").
func (m *measurement) chooseMarked(k int) int {
	for marked := range m.state.choices {
		by := &m.state.choices[marked]
		if by.marked == nil || k != marked && k != by.unmarked {
			continue
		}
		for _, word := range Words(m.text) {
			for mark := range by.marked {
				if word == mark || len(mark) >= minMarkSize && (strings.Contains(word, mark) || isNear(word, mark)) {
					return marked
				}
			}
		}
		return by.unmarked
	}
	return k
}
