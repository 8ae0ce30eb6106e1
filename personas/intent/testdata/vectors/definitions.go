package main

import (
	"math"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
)

// vocabulary contains the words with vectors to be learned, and the words' weights in a text.
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

// weightOf returns the weight of a word in a text, as package intent computes it from the stored
// rank.
func weightOf(w *word) float64 { return 1e-3 / (1e-3 + 0.1/math.Exp2(float64(rankByte(w))/16)) }

// bag is a text as the numbers of its known words.
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

// Parameters of learnDefinitions, chosen by the accuracy of the nearest examples.
const (
	batchSize   = 512
	rate        = 0.02
	temperature = 0.1
	keep        = 0.1  // strength with which a vector is drawn back to its start
	minWeight   = 0.02 // minimum weight of a word
	longest     = 20   // maximum number of words of a text
	formTimes   = 4    // number of times that a form of a word is learned
)

func (v *vocabulary) listPairs(d *dictionary) [][2]bag {
	var out [][2]bag
	d.eachPair(func(a, b string) {
		x, y := v.bagOf(a), v.bagOf(b)
		if len(x) > 0 && len(y) > 0 && !(len(x) == 1 && len(y) == 1 && x[0] == y[0]) {
			out = append(out, [2]bag{x[:min(longest, len(x))], y[:min(longest, len(y))]})
		}
	})
	lemmas := d.lemmas()
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

// learnDefinitions moves the vectors until texts with the same meaning are nearer to each other
// than to the other texts of a batch (InfoNCE loss, Adagrad).
func (v *vocabulary) learnDefinitions(d *dictionary) {
	pairs := v.listPairs(d)
	l := newLearner(v)
	order := rand.New(rand.NewPCG(1, 2)).Perm(len(pairs))
	for from := 0; from+batchSize <= len(order); from += batchSize {
		var batch [2][]bag
		for _, k := range order[from : from+batchSize] {
			batch[0], batch[1] = append(batch[0], pairs[k][0]), append(batch[1], pairs[k][1])
		}
		l.step(batch)
	}
}

// learner contains the state between steps.
type learner struct {
	v       *vocabulary
	start   [][]float64 // initial vectors
	squares []float64   // sums of the squared gradients, a mean for each word
	slopes  map[int][]float64
	order   []int // the words that have gradients
}

func newLearner(v *vocabulary) *learner {
	l := &learner{v: v, squares: make([]float64, len(v.words))}
	for i, w := range v.words {
		l.start = append(l.start, append([]float64(nil), w.vector...))
		l.squares[i] = 1e-8
	}
	return l
}

// side contains the texts of one side of a batch, as unit vectors and their original lengths.
type side struct {
	bags    []bag
	vectors [][]float64
	lengths []float64
}

func (l *learner) embed(bags []bag) side {
	s := side{bags, newMatrix(len(bags), len(l.start[0])), make([]float64, len(bags))}
	eachRow(len(bags), func(i int) {
		for _, n := range bags[i] {
			addScaled(s.vectors[i], l.v.words[n].vector, max(minWeight, l.v.weights[n]))
		}
		s.lengths[i] = normalize(s.vectors[i])
	})
	return s
}

func (l *learner) step(batch [2][]bag) {
	a, b := l.embed(batch[0]), l.embed(batch[1])
	slopes := contrast(a.vectors, b.vectors)
	l.slopes, l.order = make(map[int][]float64), nil
	l.spread(&a, &b, func(i, j int) float64 { return slopes[i][j] })
	l.spread(&b, &a, func(i, j int) float64 { return slopes[j][i] })
	for _, n := range l.order {
		l.move(n, l.slopes[n])
	}
}

// contrast returns the gradient of the loss with respect to the cosine of each pair of texts.
func contrast(a, b [][]float64) [][]float64 {
	n := len(a)
	cosines, rows, columns := newMatrix(n, n), newMatrix(n, n), newMatrix(n, n)
	eachRow(n, func(i int) {
		for j := range n {
			cosines[i][j] = dot(a[i], b[j]) / temperature
		}
		softmax(rows[i], cosines[i])
	})
	eachRow(n, func(j int) {
		column := make([]float64, n)
		for i := range n {
			column[i] = cosines[i][j]
		}
		softmax(columns[j], column)
	})
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

// spread adds the gradients for the texts of one side to the gradients for the words in these
// texts.
func (l *learner) spread(s, other *side, slope func(i, j int) float64) {
	texts := newMatrix(len(s.bags), len(l.start[0]))
	eachRow(len(s.bags), func(i int) {
		for j := range other.bags {
			addScaled(texts[i], other.vectors[j], slope(i, j))
		}
		straighten(texts[i], s.vectors[i], s.lengths[i])
	})
	for i, bag := range s.bags {
		for _, n := range bag {
			if l.slopes[n] == nil {
				l.slopes[n], l.order = make([]float64, len(texts[i])), append(l.order, n)
			}
			addScaled(l.slopes[n], texts[i], max(minWeight, l.v.weights[n]))
		}
	}
}

func straighten(slope, direction []float64, length float64) {
	addScaled(slope, direction, -dot(slope, direction))
	for i := range slope {
		slope[i] /= length
	}
}

func (l *learner) move(n int, slope []float64) {
	at := l.v.words[n].vector
	for i := range slope {
		slope[i] += float64(keep * (at[i] - l.start[n][i]))
	}
	l.squares[n] += dot(slope, slope) / float64(len(slope))
	addScaled(at, slope, -rate/math.Sqrt(l.squares[n]))
}

// eachRow calls do with each number from 0 to rows-1, in two goroutines.
func eachRow(rows int, do func(i int)) {
	var both sync.WaitGroup
	for half := range 2 {
		both.Go(func() {
			for i := half; i < rows; i += 2 {
				do(i)
			}
		})
	}
	both.Wait()
}
