package nlu

import (
	_ "embed"
	"errors"
	"math"
	"slices"
	"sort"
	"strings"
)

// vectorTable is made by testdata/vectors, which says from what and how.
//
//go:embed vectors.bin
var vectorTable string

const dimensions = 64

// vectors describes what everyday English words have to do with each other. Words
// that people use in the same places lie near each other, opposites included:
// those are listed apart.
type vectors struct {
	words     []string // in order
	rows      string   // of each word the logarithm of its rank, and its vector
	opposites map[[2]int32]bool
}

// errVectors means that the table was not made by its generator.
var errVectors = errors.New("nlu: the table of word vectors is broken")

func parseVectors(table string) (*vectors, error) {
	words, rest, ok := strings.Cut(table, "\n\n")
	pairs, rows, found := strings.Cut(rest, "\n\n")
	v := &vectors{words: strings.Split(words, "\n"), rows: rows, opposites: make(map[[2]int32]bool)}
	if !ok || !found || len(rows) != len(v.words)*(dimensions+1) {
		return nil, errVectors
	}
	for pair := range strings.Lines(pairs) {
		a, b, _ := strings.Cut(strings.TrimSpace(pair), " ")
		i, j := v.find(a), v.find(b)
		v.opposites[[2]int32{i, j}], v.opposites[[2]int32{j, i}] = true, true
	}
	return v, nil
}

// find returns the number of a word, from 1, or 0.
func (v *vectors) find(word string) int32 {
	if i, ok := slices.BinarySearch(v.words, word); ok {
		return int32(i) + 1 //nolint:gosec // tens of thousands of words
	}
	return 0
}

// wordRange are words of the table that follow each other.
type wordRange struct{ from, to int }

// narrow returns those words of a range that begin with a prefix.
func (v *vectors) narrow(in wordRange, prefix string) wordRange {
	words := v.words[in.from:in.to]
	from, _ := slices.BinarySearch(words, prefix)
	size := sort.Search(len(words)-from, func(i int) bool { return !strings.HasPrefix(words[from+i], prefix) })
	return wordRange{in.from + from, in.from + from + size}
}

// findAmong returns the number of a word of a range, from 1, or 0.
func (v *vectors) findAmong(in wordRange, word []byte) int32 {
	if i, ok := slices.BinarySearch(v.words[in.from:in.to], string(word)); ok {
		return int32(in.from+i) + 1 //nolint:gosec // tens of thousands of words
	}
	return 0
}

// similarity of two words by their numbers: the cosine, from -1 to 1.
func (v *vectors) similarity(i, j int32) float64 {
	a, b := v.row(i)[1:1+dimensions], v.row(j)[1:1+dimensions]
	var w, x, y, z int32 // the sums do not wait for each other
	for len(a) >= 4 && len(b) >= 4 {
		w += multiplySigned(a[0], b[0])
		x += multiplySigned(a[1], b[1])
		y += multiplySigned(a[2], b[2])
		z += multiplySigned(a[3], b[3])
		a, b = a[4:], b[4:]
	}
	return float64(w+x+y+z) / (127 * 127)
}

// multiplySigned multiplies two signed bytes, as the table has them.
func multiplySigned(a, b byte) int32 { return int32(int8(a)) * int32(int8(b)) } //nolint:gosec // see above

func (v *vectors) row(i int32) string {
	at := int(i-1) * (dimensions + 1)
	return v.rows[at : at+dimensions+1]
}

// areOpposites reports whether a dictionary calls two words opposites.
func (v *vectors) areOpposites(i, j int32) bool { return v.opposites[[2]int32{i, j}] }

// smoothing is the share of all words at which a word counts half (the weights
// of smooth inverse frequency).
const smoothing = 1e-3

// weight of a word in the meaning of a text: from 0 for the most frequent to 1.
func (v *vectors) weight(i int32) float64 {
	rank := math.Exp2(float64(v.row(i)[0]) / 16)
	return smoothing / (smoothing + 0.1/rank)
}
