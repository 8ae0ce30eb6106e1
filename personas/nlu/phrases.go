package nlu

import "slices"

// clause is a run of words with at most one verb that acts.
type clause struct {
	words    []string
	question bool
}

// phraseTable has phrases by their first word.
type phraseTable map[string][][]string

// phraseTables are those by which a text's acts are known.
type phraseTables struct {
	quits, curses, menaces phraseTable
}

func newPhraseTable(phrases [][]string) phraseTable {
	t := make(phraseTable, len(phrases))
	for _, p := range phrases {
		t[p[0]] = append(t[p[0]], p)
	}
	return t
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
