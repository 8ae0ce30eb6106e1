package offline

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"math"
	"os"
	"testing"
)

var fit = flag.Bool("fit", false, "fit the weights to the corpus and write weights.go")

// sample is a message compared with the choices of a state, and which of them
// are right.
type sample struct {
	persona string
	m       *measurement
	right   []bool
	weight  float64
}

// ownShare is what an author's own examples, tried without themselves, count
// for together, as a number of lines a persona.
const ownShare = 5

var priors = map[string]float64{"pass": 0.4, "redirect": 0.1, "reject": 0.1, "kick_out": 0.12, "follow_up": 0.08, "aside": 0.2}

func newSample(persona string, m *measurement, l *CorpusLine) (sample, bool) {
	s := sample{persona: persona, m: m, right: make([]bool, len(m.features)), weight: 1}
	any := false
	for k, c := range m.state.choices {
		s.right[k] = c.decision == l.Label && (l.To == "" || l.Label != "pass" || c.target == l.To)
		any = any || s.right[k]
	}
	return s, any
}

func corpusSamples(t testing.TB, r *Reader, name string, at func(Place) Place) []sample {
	var out []sample
	lines := readCorpus(t, name)
	for i := range lines {
		place := at(lines[i].Place)
		if s, ok := newSample(name, r.measure(r.prepare(&place), lines[i].Text, ""), &lines[i]); ok {
			out = append(out, s)
		}
	}
	return out
}

// ownSamples are the author's examples as messages, each compared with the
// others, and lines of the intents as asides.
func ownSamples(t testing.TB, r *Reader, name string, at func(Place) Place) []sample {
	p := corpusPersona(t, name)
	var out []sample
	counts := make(map[string]float64)
	add := func(place Place, text, label, target string) {
		tried := at(place)
		m := r.measure(r.prepareState(&tried, text), text, text)
		s, _ := newSample(name, m, &CorpusLine{Label: label, To: target})
		counts[label]++
		out = append(out, s)
	}
	n := 0
	for i := range p.Machines {
		for j := range p.Machines[i].States {
			s := &p.Machines[i].States[j]
			if s.IsTerminal {
				continue
			}
			place := placeOf(t, p, p.Machines[i].Key, s.Key)
			for _, c := range listChoices(&place) {
				for _, e := range c.examples {
					add(place, e.Say, c.decision, c.target)
				}
			}
			for _, a := range listAnswers(&place) {
				for _, ask := range a.Ask {
					add(place, ask, "aside", "")
				}
			}
			for range 12 {
				n += 37
				lines := r.bankOf("en").lines
				add(place, lines[n%len(lines)], "aside", "")
			}
		}
	}
	for i := range out {
		for k, right := range out[i].right {
			if label := out[i].m.state.choices[k].decision; right {
				out[i].weight = ownShare * priors[label] / counts[label]
			}
		}
	}
	return out
}

// fitWeights finds the weights under which the right choices are most probable
// (a conditional logit with a penalty on the squares), by gradient descent.
func fitWeights(data []sample, penalty float64, rounds int) *weightTable {
	var w, mean, square weightTable
	for round := 1; round <= rounds; round++ {
		g := gradient(&w, data)
		for k := range w {
			for i := range w[k] {
				d := g[k][i]/float64(len(data)) + penalty*w[k][i]
				mean[k][i] = 0.9*mean[k][i] + 0.1*d
				square[k][i] = 0.99*square[k][i] + 0.01*d*d
				w[k][i] -= 0.05 * (mean[k][i] / (1 - math.Pow(0.9, float64(round)))) / (math.Sqrt(square[k][i]/(1-math.Pow(0.99, float64(round)))) + 1e-8)
			}
		}
	}
	return &w
}

func gradient(w *weightTable, data []sample) *weightTable {
	var g weightTable
	for i := range data {
		s := &data[i]
		p := softmax(w.utilities(s.m))
		share := 1e-9
		for k := range p {
			if s.right[k] {
				share += p[k]
			}
		}
		for k := range p {
			d := p[k]
			if s.right[k] {
				d -= p[k] / share
			}
			for j, x := range s.m.features[k] {
				g[s.m.state.choices[k].kind][j] += s.weight * d * x
			}
		}
	}
	return &g
}

// TestFit writes weights.go when asked to.
func TestFit(t *testing.T) {
	if !*fit {
		t.Skip("only with -fit")
	}
	r := NewReader()
	var full, prose []sample
	for _, name := range fittedPersonas {
		full = append(full, corpusSamples(t, r, name, here)...)
		full = append(full, ownSamples(t, r, name, here)...)
		prose = append(prose, corpusSamples(t, r, name, proseOnly)...)
	}
	var out bytes.Buffer
	out.WriteString("package offline\n\n// Fitted to the corpus by TestFit; not edited by hand.\n\n")
	writeWeights(&out, "weights", "weights are those of states with examples.", fitWeights(full, 0.001, 600))
	writeWeights(&out, "proseWeights", "proseWeights are those of states without.", fitWeights(prose, 0.001, 600))
	source, err := format.Source(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("weights.go", source, 0o644); err != nil {
		t.Fatal(err)
	}
}

func writeWeights(out *bytes.Buffer, name, comment string, w *weightTable) {
	fmt.Fprintf(out, "// %s\nvar %s = weightTable{\n", comment, name)
	for k := range w {
		fmt.Fprintf(out, "{")
		for i, x := range w[k] {
			if i > 0 {
				out.WriteString(", ")
			}
			if i%10 == 0 && i > 0 {
				out.WriteString("\n")
			}
			fmt.Fprintf(out, "%.3f", x)
		}
		fmt.Fprintf(out, "}, // %s\n", kindNames[k])
	}
	out.WriteString("}\n\n")
}

// TestLeaveOneOut shows what to expect of a persona that the weights have not
// seen: each fitted persona is measured with weights from the others.
func TestLeaveOneOut(t *testing.T) {
	if !*fit {
		t.Skip("only with -fit")
	}
	r := NewReader()
	var all []sample
	for _, name := range fittedPersonas {
		all = append(all, corpusSamples(t, r, name, here)...)
		all = append(all, ownSamples(t, r, name, here)...)
	}
	saved := weights
	defer func() { weights = saved }()
	for _, name := range fittedPersonas {
		var others []sample
		for _, s := range all {
			if s.persona != name {
				others = append(others, s)
			}
		}
		weights = *fitWeights(others, 0.001, 400)
		measureLines(r, readCorpus(t, name), here).log(t, "without "+name)
	}
}

// TestShow prints what is decided wrongly about the fitted personas.
func TestShow(t *testing.T) {
	if !*fit {
		t.Skip("only with -fit")
	}
	r := NewReader()
	for _, name := range fittedPersonas {
		lines := readCorpus(t, name)
		for i := range lines {
			l := &lines[i]
			if v := r.Decide(l.Place, l.Text); !l.IsRight(&v) {
				t.Logf("%s/%s want %s got %s: %q: %s", name, l.State, l.Label, v.Decision, l.Text, v.Why)
			}
		}
		measureLines(r, lines, here).log(t, name)
		measureLines(r, lines, proseOnly).log(t, name+" prose only")
	}
}
