package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

// attempt is a line of the corpus that is labelled with a decision, with the examples of its state.
type attempt struct {
	text     string
	label    string
	examples []example
}

type example struct{ text, decision string }

// readCorpus reads the lines about the personas listed in fitted.txt, except for those labelled
// aside.
func readCorpus(folder string) ([]attempt, error) {
	names, err := os.ReadFile(filepath.Join(folder, "fitted.txt"))
	if err != nil {
		return nil, err
	}
	var out []attempt
	for _, name := range strings.Fields(string(names)) {
		lines, err := readLines(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		for i := range lines {
			if l := &lines[i]; l.Label != personas.AsideName && l.Place.State.Offline != nil {
				out = append(out, attempt{l.Text, l.Label, listExamples(&l.Place.State.Offline.Examples)})
			}
		}
	}
	return out, nil
}

func readLines(file string) ([]intent.CorpusLine, error) {
	document, err := os.ReadFile(file + ".yaml")
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file + ".jsonl")
	if err != nil {
		return nil, err
	}
	p, _, faults := personas.Parse(file, document)
	if len(faults) > 0 {
		return nil, fmt.Errorf("%s: %s", file, faults[0].Message)
	}
	lines, faults := intent.ParseCorpus(&p, text)
	if len(faults) > 0 {
		return nil, fmt.Errorf("%s: %s", file, faults[0].Message)
	}
	return lines, nil
}

func listExamples(all *personas.Examples) []example {
	var out []example
	for _, of := range []struct {
		decision string
		examples []personas.Example
	}{{"pass", all.Pass}, {"redirect", all.Redirect}, {"reject", all.Reject}, {"kick_out", all.KickOut}, {"follow_up", all.FollowUp}} {
		for _, e := range of.examples {
			out = append(out, example{e.Say, of.decision})
		}
	}
	return out
}

// Parameters of turn.
const (
	turnRounds = 2
	turnRate   = 0.005
	turnKeep   = 0.3 // strength with which the matrix is drawn back to the identity
)

// turn multiplies all vectors by one matrix. It fits the matrix so that lines are nearer to the
// examples of their decision than to the other examples of the state.
func (v *vocabulary) turn(attempts []attempt) {
	t := newTurning(v, attempts)
	random := rand.New(rand.NewPCG(3, 4))
	for range turnRounds {
		for _, k := range random.Perm(len(t.tries)) {
			t.step(&t.tries[k])
		}
	}
	for _, w := range v.words {
		w.vector = t.apply(w.vector)
		normalize(w.vector)
	}
}

// turning contains the matrix, and the sums of the squared gradients so far.
type turning struct {
	tries           []try
	matrix, squares [][]float64
}

// try contains the vectors of an attempt and its examples.
type try struct {
	said     []float64
	examples [][]float64
	same     []bool // whether the example's decision is the line's label
}

func newTurning(v *vocabulary, attempts []attempt) *turning {
	t := &turning{matrix: newMatrix(outputSize, outputSize), squares: newMatrix(outputSize, outputSize)}
	for i := range t.matrix {
		t.matrix[i][i] = 1
		for j := range t.squares[i] {
			t.squares[i][j] = 1e-6
		}
	}
	for _, a := range attempts {
		one, any := try{said: v.embed(a.text)}, false
		for _, e := range a.examples {
			one.examples, one.same = append(one.examples, v.embed(e.text)), append(one.same, e.decision == a.label)
			any = any || e.decision == a.label
		}
		if any {
			t.tries = append(t.tries, one)
		}
	}
	return t
}

func (v *vocabulary) embed(text string) []float64 {
	sum := make([]float64, outputSize)
	for _, n := range v.bagOf(text) {
		addScaled(sum, v.words[n].vector, v.weights[n])
	}
	normalize(sum)
	return sum
}

func (t *turning) apply(of []float64) []float64 {
	out := make([]float64, outputSize)
	for i := range out {
		out[i] = dot(t.matrix[i], of)
	}
	return out
}

func (t *turning) step(one *try) {
	said := t.apply(one.said)
	length := normalize(said)
	examples, lengths := make([][]float64, len(one.examples)), make([]float64, len(one.examples))
	cosines := make([]float64, len(one.examples))
	for i, e := range one.examples {
		examples[i] = t.apply(e)
		lengths[i] = normalize(examples[i])
		cosines[i] = dot(examples[i], said) / temperature
	}
	slopes, whole := t.newSlopes(), make([]float64, outputSize)
	for i, g := range one.contrast(cosines) {
		addScaled(whole, examples[i], g)
		part := make([]float64, outputSize)
		addScaled(part, said, g)
		straighten(part, examples[i], lengths[i])
		addOuter(slopes, part, one.examples[i])
	}
	straighten(whole, said, length)
	addOuter(slopes, whole, one.said)
	t.move(slopes)
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

// newSlopes returns the gradient of the term that draws the matrix back to the identity.
func (t *turning) newSlopes() [][]float64 {
	out := newMatrix(outputSize, outputSize)
	for i := range out {
		addScaled(out[i], t.matrix[i], turnKeep)
		out[i][i] -= turnKeep
	}
	return out
}

func addOuter(to [][]float64, a, b []float64) {
	for i, x := range a {
		addScaled(to[i], b, x)
	}
}

func (t *turning) move(slopes [][]float64) {
	for i, row := range slopes {
		for j, g := range row {
			t.squares[i][j] += float64(g * g)
			t.matrix[i][j] -= float64(turnRate*g) / math.Sqrt(t.squares[i][j])
		}
	}
}
