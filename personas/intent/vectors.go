package intent

import (
	_ "embed"
	"errors"
	"math"
	"slices"
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
var errVectors = errors.New("intent: the table of word vectors is broken")

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

// Embedding is where a text lies among the meanings of words; its length is 1,
// or 0 for a text without a known word.
type Embedding [dimensions]float32

// Meaning is what a text is about, and whether it denies that.
type Meaning struct {
	about  Embedding
	denies bool
}

// Meaning returns the mean of a text's words, the rare ones counting most.
func (x *Lexicon) Meaning(text string) Meaning { return *x.Read(text).Meanings()[0] }

// Meanings returns the meaning of the whole text and then, if it has several
// sentences, of each. They are shared, and must not be changed.
func (r *Reading) Meanings() []*Meaning {
	if r.meanings == nil {
		r.meanings = append(r.meanings, r.whole.meaning(r.lexicon))
		for i := range r.sentences {
			r.meanings = append(r.meanings, r.sentences[i].meaning(r.lexicon))
		}
	}
	return r.meanings
}

func (part *readPart) meaning(x *Lexicon) *Meaning {
	if part.about != nil {
		return part.about
	}
	m := &Meaning{about: x.embedTokens(part.tokens)}
	p := part.passageIn(x, x.languageOf(part.tokens, english))
	for i := range p.terms {
		m.denies = m.denies || p.terms[i].content && (p.terms[i].denied || p.terms[i].kin == refusing)
	}
	part.about = m
	return m
}

// contradiction is the factor for the similarity of two texts if only one of them
// is a denial.
const contradiction = 0.4

// Likeness is the cosine of two meanings, lower if only one of them is a denial.
func (m *Meaning) Likeness(other *Meaning) float64 {
	return m.WeighCosine(other, float64(m.about.Dot(&other.about)))
}

// WeighCosine is Likeness where the cosine is known.
func (m *Meaning) WeighCosine(other *Meaning, cosine float64) float64 {
	if m.denies != other.denies {
		cosine *= contradiction
	}
	return cosine
}

func (x *Lexicon) embedTokens(ts []token) Embedding {
	var sum Embedding
	for _, t := range ts {
		if t.kind != wordToken {
			continue
		}
		i := t.vector
		if i == 0 {
			continue
		}
		weight := float32(x.vectors.weight(i))
		for k := range dimensions {
			sum[k] += weight * float32(int8(x.vectors.row(i)[k+1])) //nolint:gosec // a signed byte, as the table has it
		}
	}
	return sum.normalized()
}

func (e Embedding) normalized() Embedding {
	length := math.Sqrt(float64(e.Dot(&e)))
	if length == 0 {
		return e
	}
	for k := range e {
		e[k] /= float32(length)
	}
	return e
}

// Dot is the cosine of two embeddings. Its four sums do not wait for each other.
func (e *Embedding) Dot(other *Embedding) float32 {
	var a, b, c, d float32
	for k := 0; k < dimensions; k += 4 {
		a += e[k] * other[k]
		b += e[k+1] * other[k+1]
		c += e[k+2] * other[k+2]
		d += e[k+3] * other[k+3]
	}
	return (a + b) + (c + d)
}

// Middle returns what texts have in common; it denies where most of them do.
func Middle(of []Meaning) Meaning {
	var sum Embedding
	denying := 0
	for i := range of {
		for k := range sum {
			sum[k] += of[i].about[k]
		}
		if of[i].denies {
			denying++
		}
	}
	return Meaning{sum.normalized(), 2*denying > len(of)}
}

// Embedding is where the text lies among the meanings of words.
func (m *Meaning) Embedding() *Embedding { return &m.about }
