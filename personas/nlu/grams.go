package nlu

import "math"

// gramTable describes which texts have which trigrams, so that a message meets only those that it
// shares with a text and not all of each.
type gramTable struct {
	known map[uint64]int32 // the place of each trigram in from
	from  []int32          // of each trigram where its texts begin in texts, and their end
	texts []int32
	sizes []int32 // of each text, how many trigrams it has
}

// newGramTable makes the table of some texts, of which the distinct trigrams are given.
func newGramTable(docs [][]uint64) gramTable {
	t := gramTable{known: make(map[uint64]int32), sizes: make([]int32, len(docs))}
	var counts []int32
	total := 0
	for i := range docs {
		t.sizes[i] = int32(len(docs[i])) //nolint:gosec // of a text of the author's
		total += len(docs[i])
		for _, gram := range docs[i] {
			id, ok := t.known[gram]
			if !ok {
				id = int32(len(counts)) //nolint:gosec // fewer than all texts have characters
				t.known[gram], counts = id, append(counts, 0)
			}
			counts[id]++
		}
	}
	t.from, t.texts = make([]int32, len(counts)+1), make([]int32, total)
	for id, n := range counts {
		t.from[id+1] = t.from[id] + n
	}
	t.placeTexts(docs, counts)
	return t
}

// placeTexts lists under each trigram the texts that have it; left is how many are missing.
func (t *gramTable) placeTexts(docs [][]uint64, left []int32) {
	for i := range docs {
		for _, gram := range docs[i] {
			id := t.known[gram]
			t.texts[t.from[id+1]-left[id]] = int32(i)
			left[id]--
		}
	}
}

// countCommon adds up how many of some trigrams, each given once, every text has.
func (t *gramTable) countCommon(common []int32, grams []uint64) {
	for _, gram := range grams {
		id, ok := t.known[gram]
		if !ok {
			continue
		}
		for _, text := range t.texts[t.from[id]:t.from[id+1]] {
			common[text]++
		}
	}
}

// cosineOf is the cosine of two sets of trigrams, of so many each and so many in common.
func cosineOf(common, a, b int32) float64 {
	if common == 0 {
		return 0
	}
	return float64(common) / math.Sqrt(float64(a)*float64(b))
}
