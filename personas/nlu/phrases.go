package nlu

import "slices"

// clause is a run of words with at most one verb that acts.
type clause struct {
	words    []string
	question bool
}

func indexOf(w, phrase []string) int {
	for i := 0; i+len(phrase) <= len(w); i++ {
		if slices.Equal(w[i:i+len(phrase)], phrase) {
			return i
		}
	}
	return -1
}

func containsWord(w []string, word string) bool { return slices.Contains(w, word) }

// maxPhraseWords is how many words of a clause are searched for phrases.
const maxPhraseWords = 60

func containsPhrase(w []string, phrases [][]string) bool {
	w = w[:min(len(w), maxPhraseWords)]
	return slices.ContainsFunc(phrases, func(p []string) bool { return indexOf(w, p) >= 0 })
}

func containsAny(w []string, set map[string]bool) bool {
	return slices.ContainsFunc(w, func(t string) bool { return set[t] })
}
