package main

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
)

type vocabulary struct {
	words   []*word
	numbers map[string]int
	weights []float64
}

func newVocabulary(words []*word) *vocabulary {
	v := &vocabulary{words, make(map[string]int), make([]float64, len(words))}
	for i, w := range words {
		v.numbers[w.text], v.weights[i] = i, weightOf(w)
	}
	return v
}

// weightOf repeats the formula of package intent.
func weightOf(w *word) float64 { return 1e-3 / (1e-3 + 0.1/math.Exp2(float64(rankByte(w))/16)) }

type bag []int

var wordPattern = regexp.MustCompile(`[a-z']+`)

func (v *vocabulary) bagOf(text string) bag {
	var out bag
	for _, w := range wordPattern.FindAllString(strings.ToLower(text), -1) {
		if n, ok := v.numbers[strings.Trim(w, "'")]; ok {
			out = append(out, n)
		}
	}
	return out
}

// The parameters of learnDefinitions were chosen by the accuracy of the nearest examples.
const (
	batchSize   = 512
	rate        = 0.02
	temperature = 0.1
	keep        = 0.1  // attraction of the original vector
	minWeight   = 0.02 // of a word
	longest     = 20   // words of a text
	formTimes   = 4    // repetitions of each form of a word
)

func (v *vocabulary) listPairs(d *dictionary, lemmas map[string]bool) [][2]bag {
	var out [][2]bag
	d.eachPair(func(a, b string) {
		x, y := v.bagOf(a), v.bagOf(b)
		if len(x) > 0 && len(y) > 0 && !(len(x) == 1 && len(y) == 1 && x[0] == y[0]) {
			out = append(out, [2]bag{x[:min(longest, len(x))], y[:min(longest, len(y))]})
		}
	})
	for i, w := range v.words {
		for _, base := range basesOf(lemmas, w.text) {
			n, ok := v.numbers[base]
			for range formTimes {
				if ok && n != i {
					out = append(out, [2]bag{{i}, {n}})
				}
			}
		}
	}
	return out
}

// learnDefinitions moves texts with the same meaning nearer to each other than to other texts of a
// batch (InfoNCE loss, Adagrad).
func (v *vocabulary) learnDefinitions(pairs [][2]bag) {
	start, squares := make([][]float64, len(v.words)), make([]float64, len(v.words)) // squares has a mean for each word
	for i, w := range v.words {
		start[i], squares[i] = append([]float64(nil), w.vector...), 1e-8
	}
	order := rand.New(rand.NewPCG(1, 2)).Perm(len(pairs))
	for from := 0; from+batchSize <= len(order); from += batchSize {
		var batch [2][]bag
		for _, k := range order[from : from+batchSize] {
			batch[0], batch[1] = append(batch[0], pairs[k][0]), append(batch[1], pairs[k][1])
		}
		a, b := v.embedAll(batch[0]), v.embedAll(batch[1])
		slopes := contrast(a.vectors, b.vectors)
		g := &gradients{of: make(map[int][]float64)}
		v.spread(g, &a, &b, func(i, j int) float64 { return slopes[i][j] })
		v.spread(g, &b, &a, func(i, j int) float64 { return slopes[j][i] })
		for _, n := range g.order {
			at, slope := v.words[n].vector, g.of[n]
			for i := range slope {
				slope[i] += float64(keep * (at[i] - start[n][i]))
			}
			squares[n] += dot(slope, slope) / float64(len(slope))
			addScaled(at, slope, -rate/math.Sqrt(squares[n]))
		}
	}
}

type side struct {
	bags    []bag
	vectors [][]float64
	lengths []float64
}

func (v *vocabulary) embedAll(bags []bag) side {
	s := side{bags, newMatrix(len(bags), len(v.words[0].vector)), make([]float64, len(bags))}
	for i := range bags {
		for _, n := range bags[i] {
			addScaled(s.vectors[i], v.words[n].vector, max(minWeight, v.weights[n]))
		}
		s.lengths[i] = normalize(s.vectors[i])
	}
	return s
}

type gradients struct {
	of    map[int][]float64
	order []int
}

func (v *vocabulary) spread(g *gradients, s, other *side, slope func(i, j int) float64) {
	texts := newMatrix(len(s.bags), len(v.words[0].vector))
	for i, bag := range s.bags {
		for j := range other.bags {
			addScaled(texts[i], other.vectors[j], slope(i, j))
		}
		straighten(texts[i], s.vectors[i], s.lengths[i])
		for _, n := range bag {
			if g.of[n] == nil {
				g.of[n], g.order = make([]float64, len(texts[i])), append(g.order, n)
			}
			addScaled(g.of[n], texts[i], max(minWeight, v.weights[n]))
		}
	}
}

// contrast returns the gradient of the loss with respect to the cosine of each pair of texts.
func contrast(a, b [][]float64) [][]float64 {
	n := len(a)
	cosines, transposed, rows, columns := newMatrix(n, n), newMatrix(n, n), newMatrix(n, n), newMatrix(n, n)
	for i := range n {
		for j := range n {
			cosines[i][j] = dot(a[i], b[j]) / temperature
			transposed[j][i] = cosines[i][j]
		}
	}
	for i := range n {
		softmax(rows[i], cosines[i])
		softmax(columns[i], transposed[i])
	}
	for i := range n {
		for j := range n {
			rows[i][j] = (rows[i][j] + columns[j][i]) / (2 * temperature)
		}
		rows[i][i] -= 1 / temperature
	}
	return rows
}

func softmax(out, of []float64) {
	greatest, sum := of[0], 0.0
	for _, x := range of {
		greatest = max(greatest, x)
	}
	for i, x := range of {
		out[i] = math.Exp(x - greatest)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
}

func straighten(slope, direction []float64, length float64) {
	addScaled(slope, direction, -dot(slope, direction))
	for i := range slope {
		slope[i] /= length
	}
}
