package nlu

import "math"

// Embedding is where a text lies among the meanings of words; its length is 1,
// or 0 for a text without a known word.
type Embedding [dimensions]float32

// smoothing is the share of all words at which a word counts half (the weights
// of smooth inverse frequency).
const smoothing = 1e-3

// Embed returns the mean of a text's words, the rare ones counting most.
func (x *Lexicon) Embed(text string) Embedding { return x.embedTokens(x.tokensOf(text)) }

// EmbedSentences returns the embeddings of a text's sentences, of the whole
// first.
func (x *Lexicon) EmbedSentences(text string) []Embedding {
	ts := x.tokensOf(text)
	out := []Embedding{x.embedTokens(ts)}
	parts := splitSentences(ts)
	if len(parts) < 2 {
		return out
	}
	for _, part := range parts[:min(len(parts), maxSentences)] {
		out = append(out, x.embedTokens(part))
	}
	return out
}

func (x *Lexicon) embedTokens(ts []token) Embedding {
	var sum Embedding
	for _, t := range ts {
		if t.kind != wordToken {
			continue
		}
		i := x.vectors.find(t.text)
		if i == 0 {
			continue
		}
		rank := math.Exp2(float64(x.vectors.row(i)[0]) / 16)
		weight := float32(smoothing / (smoothing + 0.1/rank))
		for k := range dimensions {
			sum[k] += weight * float32(int8(x.vectors.row(i)[k+1]))
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

// Add returns the middle of embeddings.
func Centroid(of []Embedding) Embedding {
	var sum Embedding
	for i := range of {
		for k := range sum {
			sum[k] += of[i][k]
		}
	}
	return sum.normalized()
}
