package diff

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// alike is the minimum similarity, from 0 to 1, at which two entries with different keys are
// matched. The similarity is a weighted sum of the similarity of their words and of their roles.
// For entries without words, only the roles count.
const (
	alike       = 0.6
	wordsWeight = 0.6
	roleWeight  = 0.4
)

// Bounds of the word-by-word comparison. Beyond them, entries are matched only by key.
const (
	maxPairs = 1 << 18 // pairs
	maxWords = 1 << 23 // words looked up for all pairs together
)

// pair holds the indexes of an entry in both versions. -1 means that a version lacks the entry.
type pair struct{ before, after int }

func (p pair) isKept() bool { return p.before >= 0 && p.after >= 0 }

type entry struct {
	key          string
	words, roles wordBag
}

// wordBag is a multiset of words, or of pairs of neighbouring words.
type wordBag struct {
	count map[string]int
	size  int
}

func (b *wordBag) add(word string) {
	if b.count == nil {
		b.count = map[string]int{}
	}
	b.count[word]++
	b.size++
}

// addText adds the words of a text. Each word is counted together with its predecessor, so that
// common short words do not make two texts similar.
func (b *wordBag) addText(text string) {
	last := ""
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		b.add(last + " " + word)
		last = word
	}
}

// likenessTo returns the Dice coefficient: twice the number of common words divided by the number
// of all words. It is 1 for two empty bags.
func (b *wordBag) likenessTo(other *wordBag) float64 {
	if b.size+other.size == 0 {
		return 1
	}
	shared := 0
	for word, n := range b.count {
		shared += min(n, other.count[word])
	}
	return float64(2*shared) / float64(b.size+other.size)
}

func (e *entry) likenessTo(other *entry) float64 {
	role := e.roles.likenessTo(&other.roles)
	if e.words.size+other.words.size == 0 {
		return role
	}
	return wordsWeight*e.words.likenessTo(&other.words) + roleWeight*role
}

type matcher struct {
	pairs        []pair
	usedX, usedY []bool
}

func newMatcher(before, after int) *matcher {
	return &matcher{usedX: make([]bool, before), usedY: make([]bool, after)}
}

// matchEntries pairs entries with equal keys, and then the most similar ones of the others.
func matchEntries(before, after []entry) []pair {
	m := newMatcher(len(before), len(after))
	m.pairByKey(func(i int) string { return before[i].key }, func(j int) string { return after[j].key })
	m.pairByLikeness(before, after)
	return m.completePairs()
}

func (m *matcher) addPair(p pair) {
	m.usedX[p.before], m.usedY[p.after] = true, true
	m.pairs = append(m.pairs, p)
}

// pairByKey pairs unpaired entries with equal keys. Duplicates of a key are paired in order.
func (m *matcher) pairByKey(before, after func(int) string) {
	at := map[string][]int{}
	for _, i := range listUnused(m.usedX) {
		at[before(i)] = append(at[before(i)], i)
	}
	for _, j := range listUnused(m.usedY) {
		key := after(j)
		if found := at[key]; len(found) > 0 {
			m.addPair(pair{found[0], j})
			at[key] = found[1:]
		}
	}
}

func (m *matcher) pairByLikeness(before, after []entry) {
	x, y := listUnused(m.usedX), listUnused(m.usedY)
	words := 0
	for _, i := range x {
		words += len(before[i].words.count) + len(before[i].roles.count)
	}
	if len(x)*len(y) > maxPairs || words*len(y) > maxWords {
		return
	}
	type candidate struct {
		pair
		likeness float64
	}
	var found []candidate
	for _, i := range x {
		for _, j := range y {
			if likeness := before[i].likenessTo(&after[j]); likeness >= alike {
				found = append(found, candidate{pair{i, j}, likeness})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.likeness, a.likeness) })
	for _, c := range found {
		if !m.usedX[c.before] && !m.usedY[c.after] {
			m.addPair(c.pair)
		}
	}
}

func listUnused(used []bool) []int {
	var left []int
	for i, u := range used {
		if !u {
			left = append(left, i)
		}
	}
	return left
}

func (m *matcher) completePairs() []pair {
	for _, j := range listUnused(m.usedY) {
		m.pairs = append(m.pairs, pair{-1, j})
	}
	slices.SortFunc(m.pairs, func(a, b pair) int { return cmp.Compare(a.after, b.after) })
	for _, i := range listUnused(m.usedX) {
		m.pairs = append(m.pairs, pair{i, -1})
	}
	return m.pairs
}
