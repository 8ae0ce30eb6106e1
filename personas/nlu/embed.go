package nlu

import "math"

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

// Meanings returns what a text means as a whole and then, where it has several,
// what each of its sentences means. They are shared, and must not be changed.
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

// contradiction is what is left of the likeness of two texts of which one denies
// what it is about.
const contradiction = 0.4

// Likeness is the cosine of two meanings, less where only one of them denies.
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

// Dot is the cosine of two embeddings.
func (e *Embedding) Dot(other *Embedding) float32 {
	var sum float32
	for k := range e {
		sum += e[k] * other[k]
	}
	return sum
}

// DotFour is Dot with four embeddings at once: the sums do not wait for each other, and each
// is made in the same order as that of Dot.
func (e *Embedding) DotFour(of [4]*Embedding) (dots [4]float32) {
	a, b, c, d := of[0], of[1], of[2], of[3]
	var w, x, y, z float32
	for k, v := range e {
		w += v * a[k]
		x += v * b[k]
		y += v * c[k]
		z += v * d[k]
	}
	return [4]float32{w, x, y, z}
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
