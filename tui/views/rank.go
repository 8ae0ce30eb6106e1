package views

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// rankChoices returns the indexes of the choices that match every word, the best match
// first and equal ones in their order. The words are in lower case.
func rankChoices(choices []Choice, words []string) []int {
	scores := make([]int, len(choices))
	var shown []int
	for i, c := range choices {
		if score, ok := matchAll(strings.ToLower(c.Title+" "+c.About+" "+c.More), words); ok {
			scores[i] = score
			shown = append(shown, i)
		}
	}
	slices.SortStableFunc(shown, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return shown
}

func matchAll(text string, words []string) (score int, ok bool) {
	for _, w := range words {
		s := matchWord(text, w)
		if s == 0 {
			return 0, false
		}
		score += s
	}
	return score, true
}

// How well a word is found, from letters in their order to the beginning of a
// word.
const (
	scattered = 1
	inside    = 2
	beginning = 3
)

// matchWord returns how well a word is found in a text, 0 for not at all.
func matchWord(text, word string) int {
	switch at := strings.Index(text, word); {
	case at == 0, strings.Contains(text, " "+word):
		return beginning
	case at > 0:
		return inside
	case inOrder(text, word):
		return scattered
	}
	return 0
}

// inOrder reports whether a word's letters are in one word of the text, in their
// order and with others between them: "mch" in "machines".
func inOrder(text, word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	for at := range strings.FieldsSeq(text) {
		rest, found := strings.CutPrefix(at, string(first))
		for _, r := range word[size:] {
			if i := strings.IndexRune(rest, r); found && i >= 0 {
				rest = rest[i+utf8.RuneLen(r):]
			} else {
				found = false
			}
		}
		if found {
			return true
		}
	}
	return false
}
