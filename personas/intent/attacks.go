package intent

import (
	"slices"
	"strings"
)

// Insults and threats by their form: "you ADJECTIVE NOUN", and what would be a pity.

// A word of scorn may have one of these endings: "you toothless vulture".
var scornEndings = [...]string{"less", "y", "ed", "ing", "ish", "ous", "en", "nt", "ful"}

// calledNames reports whether the words behind a "you" name whom they address: "you
// toothless vulture", "you are nothing but a windbag".
func calledNames(w []string) bool {
	for i, t := range w {
		if t == "you" && (i == 0 || !lists().TakesListener[w[i-1]]) && endsInName(w[i+1:min(len(w), i+9)]) {
			return true
		}
	}
	return false
}

// endsInName reports whether some words are what somebody is called: words of scorn and a
// noun, behind "are" also with an article.
func endsInName(w []string) bool {
	called := len(w) > 0 && (w[0] == "are" || w[0] == "were")
	if called {
		w = w[1:]
	}
	for i, t := range w {
		switch {
		case lists().Friendly[t]:
			return false
		case lists().FormNouns[t] || lists().InsultNouns[t]:
			return i == len(w)-1 || !lists().JoinsName[w[i+1]]
		case called && lists().Calling[t] || isScorn(t):
		default:
			return false
		}
	}
	return false
}

func isScorn(t string) bool {
	if lists().Scorn[t] || lists().InsultWords[t] {
		return true
	}
	return slices.ContainsFunc(scornEndings[:], func(ending string) bool { return len(t) > len(ending)+2 && strings.HasSuffix(t, ending) })
}

// isMenace reports whether a clause threatens without a violent word.
func isMenace(w []string) bool {
	if lists().Menaces.isIn(w) {
		return true
	}
	return containsAny(w, lists().Menacing) && (containsWord(w, "you") || containsWord(w, "your")) && containsWord(w, "if")
}

// clause is a run of words with at most one verb that acts.
type clause struct {
	words    []string
	question bool
}

// findLongest returns how many words the longest phrase has that is in w; 0 for none.
func (t phraseTable) findLongest(w []string) int {
	longest := 0
	for i, first := range w {
		for _, p := range t[first] {
			if len(p) > longest && i+len(p) <= len(w) && slices.Equal(w[i:i+len(p)], p) {
				longest = len(p)
			}
		}
	}
	return longest
}

func containsWord(w []string, word string) bool { return slices.Contains(w, word) }

// maxPhraseWords is how many words of a clause are searched for phrases.
const maxPhraseWords = 60

// isIn reports whether a phrase stands among the first words of a clause.
func (t phraseTable) isIn(w []string) bool { return t.findLongest(w[:min(len(w), maxPhraseWords)]) > 0 }

func containsAny(w []string, set map[string]bool) bool {
	return slices.ContainsFunc(w, func(t string) bool { return set[t] })
}
