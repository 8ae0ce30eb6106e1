package diff

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// alike is the minimum similarity, from 0 to 1, at which two entries with different keys are
// matched. The similarity is a weighted sum of the similarity of their words and of their roles.
// Equal words are enough for a match. If the roles are equal, a similarity of the words of one
// third is enough. For entries without words, only the roles count.
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

type entry struct {
	key   string
	words wordBag
}

// wordBag is a multiset of pairs of neighbouring words.
type wordBag struct {
	count map[string]int
	size  int
}

// addText adds the words of a text. Each word is counted together with its predecessor, so that
// common short words do not make two texts similar.
func (b *wordBag) addText(text string) {
	if b.count == nil {
		b.count = map[string]int{}
	}
	last := ""
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		b.count[last+" "+word]++
		b.size++
		last = word
	}
}

// likenessTo returns the Dice coefficient: twice the number of common words divided by the number
// of all words.
func (b wordBag) likenessTo(other wordBag) float64 {
	if b.size+other.size == 0 {
		return 0
	}
	shared := 0
	for word, n := range b.count {
		shared += min(n, other.count[word])
	}
	return float64(2*shared) / float64(b.size+other.size)
}

func newWordBag(texts []string) wordBag {
	var b wordBag
	for _, text := range texts {
		b.addText(text)
	}
	return b
}

type matcher struct {
	before, after []entry
	// roles returns the roles of the entries as lists of words, given the pairs known so far.
	roles func(known []pair) (before, after [][]string)

	pairs    []pair
	usedX    []bool
	usedY    []bool
	likeness map[pair]float64 // of words, once computed
}

func (m *matcher) matchAll() []pair {
	m.usedX, m.usedY = make([]bool, len(m.before)), make([]bool, len(m.after))
	m.pairByKey()
	if m.roles != nil {
		m.pairByLikeness()
	}
	return m.completePairs()
}

func (m *matcher) addPair(p pair) {
	m.usedX[p.before], m.usedY[p.after] = true, true
	m.pairs = append(m.pairs, p)
}

// pairByKey pairs unpaired entries with equal keys. Duplicates of a key are paired in order.
func (m *matcher) pairByKey() {
	at := map[string][]int{}
	for _, i := range listUnused(m.usedX) {
		at[m.before[i].key] = append(at[m.before[i].key], i)
	}
	for _, j := range listUnused(m.usedY) {
		if found := at[m.after[j].key]; len(found) > 0 {
			m.addPair(pair{found[0], j})
			at[m.after[j].key] = found[1:]
		}
	}
}

// pairByLikeness pairs the most similar entries first. Each new pair helps to identify the
// remaining entries, so it searches again until it finds no new pair.
func (m *matcher) pairByLikeness() {
	m.measureLikeness()
	for looked := 0; looked <= maxWords && len(m.likeness) > 0; looked += len(m.likeness) {
		found := m.listCandidates()
		if len(found) == 0 {
			return
		}
		m.pairBest(found)
	}
}

func (m *matcher) pairBest(found []candidate) {
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.before, b.before), cmp.Compare(a.after, b.after))
	})
	for _, c := range found {
		if !m.usedX[c.before] && !m.usedY[c.after] {
			m.addPair(c.pair)
		}
	}
}

func (m *matcher) measureLikeness() {
	m.likeness = map[pair]float64{}
	x, y := listUnused(m.usedX), listUnused(m.usedY)
	words := 0
	for _, i := range x {
		words += len(m.before[i].words.count)
	}
	if len(x)*len(y) > maxPairs || words*len(y) > maxWords {
		return
	}
	for _, i := range x {
		for _, j := range y {
			m.likeness[pair{i, j}] = m.before[i].words.likenessTo(m.after[j].words)
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

type candidate struct {
	pair
	score float64
}

func (m *matcher) listCandidates() []candidate {
	var found []candidate
	x, y := m.roles(m.pairs)
	rolesX, rolesY := newRoleBags(x), newRoleBags(y)
	for p, words := range m.likeness {
		if m.usedX[p.before] || m.usedY[p.after] {
			continue
		}
		role := rolesX[p.before].likenessTo(rolesY[p.after])
		if rolesX[p.before].size+rolesY[p.after].size == 0 {
			role = 1 // Neither has a role.
		}
		score := wordsWeight*words + roleWeight*role
		if m.before[p.before].words.size+m.after[p.after].words.size == 0 {
			score = role
		}
		if score >= alike {
			found = append(found, candidate{p, score})
		}
	}
	return found
}

func newRoleBags(lists [][]string) []wordBag {
	all := make([]wordBag, len(lists))
	for i, words := range lists {
		all[i] = wordBag{count: make(map[string]int, len(words)), size: len(words)}
		for _, word := range words {
			all[i].count[word]++
		}
	}
	return all
}

func (m *matcher) completePairs() []pair {
	for j, used := range m.usedY {
		if !used {
			m.pairs = append(m.pairs, pair{-1, j})
		}
	}
	slices.SortFunc(m.pairs, func(a, b pair) int { return cmp.Compare(a.after, b.after) })
	for i, used := range m.usedX {
		if !used {
			m.pairs = append(m.pairs, pair{i, -1})
		}
	}
	return m.pairs
}
