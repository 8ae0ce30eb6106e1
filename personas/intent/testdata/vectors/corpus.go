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

// try contains the vectors of a labelled line and of the examples of its state.
type try struct {
	said     []float64
	examples [][]float64
	same     []bool // whether the example's decision is the line's label
}

// readTries reads the lines about the personas listed in fitted.txt that have an example with the
// same label.
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
			for _, of := range []struct {
				decision string
				examples []personas.Example
			}{{"pass", all.Pass}, {"redirect", all.Redirect}, {"reject", all.Reject}, {"kick_out", all.KickOut}, {"follow_up", all.FollowUp}} {
				for _, e := range of.examples {
					one.examples, one.same = append(one.examples, v.embed(e.Say)), append(one.same, of.decision == l.Label)
					any = any || of.decision == l.Label
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

// Parameters of turn.
const (
	turnRounds = 2
	turnRate   = 0.005
	turnKeep   = 0.3 // strength with which the matrix is drawn back to the identity
)

// turn multiplies all vectors by one matrix. It fits the matrix so that lines are nearer to the
// examples of their decision than to the other examples of the state (Adagrad).
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

// slopes returns the gradient of the loss with respect to the matrix. It includes the term that
// draws the matrix back to the identity.
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

// contrast returns the gradient of the loss with respect to the cosine of each example. The loss is
// low if the examples with the line's label have a high probability together.
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
