package main

import (
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

type try struct {
	said     []float64
	examples [][]float64
	same     []bool // the example's decision is the line's label
}

// readTries reads the lines about the personas in fitted.txt. Lines without an example of the same
// label are skipped.
func (v *vocabulary) readTries(folder string) []*try {
	names, err := os.ReadFile(filepath.Join(folder, "fitted.txt"))
	check(err)
	var out []*try
	for _, name := range strings.Fields(string(names)) {
		for _, l := range readLines(filepath.Join(folder, name)) {
			if l.Label == personas.AsideName || l.Place.State.Offline == nil {
				continue
			}
			all := &l.Place.State.Offline.Examples
			one, any := &try{said: v.embed(l.Text)}, false
			for _, decision := range []string{"pass", "redirect", "reject", "kick_out", "follow_up"} {
				for _, e := range all.Of(decision) {
					one.examples = append(one.examples, v.embed(e.Say))
					one.same = append(one.same, decision == l.Label)
					any = any || decision == l.Label
				}
			}
			if any {
				out = append(out, one)
			}
		}
	}
	return out
}

func readLines(file string) []intent.CorpusLine {
	document, err := os.ReadFile(file + ".yaml")
	check(err)
	text, err := os.ReadFile(file + ".jsonl")
	check(err)
	p, _, faults := personas.Parse(file, document)
	lines, more := intent.ParseCorpus(&p, text)
	for _, f := range append(faults, more...) {
		log.Fatalf("%s: %s", file, f.Message)
	}
	return lines
}

func (v *vocabulary) embed(text string) []float64 {
	sum := make([]float64, outputSize)
	for _, n := range v.bagOf(text) {
		addScaled(sum, v.words[n].vector, v.weights[n])
	}
	normalize(sum)
	return sum
}

const (
	turnRounds = 2
	turnRate   = 0.005
	turnKeep   = 0.3 // attraction of the identity
)

// turn multiplies all vectors by one matrix, fitted with Adagrad. Lines move nearer to the examples
// of their decision than to other examples of the state.
func (v *vocabulary) turn(tries []*try) {
	matrix, squares := newMatrix(outputSize, outputSize), newMatrix(outputSize, outputSize)
	for i := range matrix {
		matrix[i][i] = 1
		for j := range squares[i] {
			squares[i][j] = 1e-6
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range turnRounds {
		for _, k := range random.Perm(len(tries)) {
			for i, row := range tries[k].slopes(matrix) {
				for j, g := range row {
					squares[i][j] += float64(g * g)
					matrix[i][j] -= float64(turnRate*g) / math.Sqrt(squares[i][j])
				}
			}
		}
	}
	for _, w := range v.words {
		w.vector = multiply(matrix, w.vector)
		normalize(w.vector)
	}
}

func multiply(matrix [][]float64, vector []float64) []float64 {
	out := make([]float64, outputSize)
	for i := range out {
		out[i] = dot(matrix[i], vector)
	}
	return out
}

// slopes returns the gradient of the loss with respect to the matrix, including turnKeep.
func (one *try) slopes(matrix [][]float64) [][]float64 {
	slopes := newMatrix(outputSize, outputSize)
	for i := range slopes {
		addScaled(slopes[i], matrix[i], turnKeep)
		slopes[i][i] -= turnKeep
	}
	said := multiply(matrix, one.said)
	length := normalize(said)
	examples, lengths := make([][]float64, len(one.examples)), make([]float64, len(one.examples))
	cosines := make([]float64, len(one.examples))
	for i, e := range one.examples {
		examples[i] = multiply(matrix, e)
		lengths[i] = normalize(examples[i])
		cosines[i] = dot(examples[i], said) / temperature
	}
	whole := make([]float64, outputSize)
	for i, g := range one.contrast(cosines) {
		addScaled(whole, examples[i], g)
		part := make([]float64, outputSize)
		addScaled(part, said, g)
		straighten(part, examples[i], lengths[i])
		addOuter(slopes, part, one.examples[i])
	}
	straighten(whole, said, length)
	addOuter(slopes, whole, one.said)
	return slopes
}

// contrast returns the gradient of the loss with respect to the cosine of each example. The loss
// falls with the joint probability of the examples with the line's label.
func (one *try) contrast(cosines []float64) []float64 {
	out, sum := make([]float64, len(cosines)), 0.0
	softmax(out, cosines)
	for i, p := range out {
		if one.same[i] {
			sum += p
		}
	}
	for i, p := range out {
		if one.same[i] {
			p -= p / (sum + 1e-12)
		}
		out[i] = p / temperature
	}
	return out
}

func addOuter(to [][]float64, a, b []float64) {
	for i, x := range a {
		addScaled(to[i], b, x)
	}
}
