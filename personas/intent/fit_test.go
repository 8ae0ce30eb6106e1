package intent

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

var fit = flag.Bool("fit", false, "fit the model to the corpus and write weights.json and kinds.bin")

type sample struct {
	group  int
	m      *measurement
	right  []bool
	weight float64
}

// slopes returns the derivative of the loss with respect to each utility, or nil if no choice is
// right.
func (s *sample) slopes(probability []float64) []float64 {
	share, out := 1e-9, slices.Clone(probability)
	for k, p := range probability {
		if s.right[k] {
			share += p
		}
	}
	for k := range out {
		if s.right[k] {
			out[k] -= out[k] / share
		}
		out[k] *= s.weight
	}
	if !slices.Contains(s.right, true) {
		return nil
	}
	return out
}

const (
	// ownShare is the total weight of an author's own examples, as a number of lines per persona.
	// Each example is compared with the others.
	ownShare = 10
	// talkWeight is the weight of a line of small talk relative to another line, and talkKindWeight
	// its weight for the classifier. With greater weights, passes become small talk.
	talkWeight, talkKindWeight = 0.2, 0.3
	// groupCount is the number of groups of personas for cross-validation: a
	// model that is fitted to all other groups is tried on each.
	groupCount     = 6
	smallTalkTried = 12
	messagesTried  = 16
)

var priors = map[string]float64{"pass": 0.4, "redirect": 0.1, "reject": 0.1, "kick_out": 0.12, "follow_up": 0.08, "aside": 0.5}

func newSample(group int, m *measurement, l *CorpusLine) sample {
	s := sample{group: group, m: m, right: make([]bool, len(m.features)), weight: 1}
	for k, c := range m.state.choices {
		s.right[k] = c.decision == l.Label && (l.To == "" || l.Label != "pass" || c.target == l.To)
	}
	return s
}

func lineSamples(r *Reader, group int, lines []CorpusLine, at func(Place) Place, weight float64) []sample {
	var out []sample
	places := make(map[*personas.State]Place)
	for i := range lines {
		place := placeOnce(places, &lines[i], at)
		s := newSample(group, r.measure(r.prepare(&place), lines[i].Text, ""), &lines[i])
		s.weight = weight
		out = append(out, s)
	}
	return out
}

func eachExample(t testing.TB, name string, tell func(at Place, text, decision, target string)) {
	p := corpusPersona(t, name)
	for i := range p.Machines {
		for j := range p.Machines[i].States {
			place := placeOf(t, p, p.Machines[i].Key, p.Machines[i].States[j].Key)
			if place.State.IsTerminal {
				continue
			}
			for _, c := range listChoices(&place) {
				for _, e := range c.examples {
					tell(place, e.Say, c.decision, c.target)
				}
			}
			for _, a := range listAnswers(&place) {
				for _, ask := range a.Ask {
					tell(place, ask, personas.AsideName, "")
				}
			}
		}
	}
}

func messagesOf(t testing.TB, classes ...string) []string {
	var out []string
	for _, l := range readMessages(t, "messages") {
		if slices.Contains(classes, l.Category) {
			out = append(out, l.Text)
		}
	}
	return out
}

var (
	idleClasses   = []string{"smalltalk", "sharing", "banter", "about_character", "hello_thanks_bye", "about_world", "unsure", "nonsense"}
	attackClasses = []string{"insult", "threat", "violence", "crude"}
)

const maxOwn = 150

func countExamples(t testing.TB, name string) int {
	n := 0
	eachExample(t, name, func(Place, string, string, string) { n++ })
	return n
}

// ownSamples returns the author's examples as messages, each compared with the other examples, and
// lines of the intents as asides.
func ownSamples(t testing.TB, r *Reader, group int, name string) []sample {
	var out []sample
	var labels []string
	counts := make(map[string]float64)
	add := func(place Place, text, label, target string) {
		m := r.measure(r.prepareState(&place, text), text, text)
		out, labels = append(out, newSample(group, m, &CorpusLine{Label: label, To: target})), append(labels, label)
		counts[label]++
	}
	n, last := len(name), (*personas.State)(nil)
	seen, every := 0, 1+countExamples(t, name)/maxOwn
	idle, hostile := messagesOf(t, idleClasses...), messagesOf(t, attackClasses...)
	eachExample(t, name, func(place Place, text, label, target string) {
		if seen++; seen%every == 0 {
			add(place, text, label, target)
		}
		if place.State == last {
			return
		}
		last = place.State
		for range smallTalkTried {
			n += 37
			lines := r.bankOf("en").lines.texts
			add(place, lines[n%len(lines)], "aside", "")
		}
		for range messagesTried {
			n += 37
			add(place, idle[n%len(idle)], "aside", "")
			add(place, hostile[n%len(hostile)], "kick_out", "")
		}
	})
	for i := range out {
		out[i].weight = ownShare * priors[labels[i]] / counts[labels[i]]
	}
	return out
}

// Hyperparameters of the fit of the weights, chosen by cross-validation over personas.
const (
	weightRounds  = 30
	weightRate    = 0.002
	weightPenalty = 0.002
	weightBatch   = 64
)

// fitWeights maximizes the probability of the right choices: a conditional logit of standardized
// measures, with a squared penalty on the distance from the initial weights (Adam).
func fitWeights(data []sample, scale *scale, from *weightTable, penalty float64) weightTable {
	w := *from
	var mean, square weightTable
	random, step := rand.New(rand.NewPCG(5, 6)), 0.0
	for round := range weightRounds {
		rate := weightRate * (1 - float64(round)/weightRounds)
		for batch := range slices.Chunk(random.Perm(len(data)), weightBatch) {
			step++
			g := scale.gradient(&w, data, batch)
			for k := range w {
				for i := range w[k] {
					d := g[k][i]/weightBatch + float64(penalty*(w[k][i]-from[k][i]))
					mean[k][i] = 0.9*mean[k][i] + 0.1*d
					square[k][i] = 0.99*square[k][i] + 0.01*d*d
					w[k][i] -= rate * (mean[k][i] / (1 - math.Pow(0.9, step))) / (math.Sqrt(square[k][i]/(1-math.Pow(0.99, step))) + 1e-8)
				}
			}
		}
	}
	return w
}

type scale struct{ middle, spread [featureCount]float64 }

func measureScale(data []sample) *scale {
	var s scale
	n := 0.0
	for i := range data {
		for _, x := range data[i].m.features {
			n++
			for j := range x {
				s.middle[j] += x[j]
				s.spread[j] += x[j] * x[j]
			}
		}
	}
	for j := range s.middle {
		s.middle[j] /= n
		s.spread[j] = math.Sqrt(max(1e-6, s.spread[j]/n-s.middle[j]*s.middle[j]))
	}
	s.middle[fOne], s.spread[fOne] = 0, 1
	return &s
}

func (s *scale) scaled(x *features) *features {
	out := *x
	for j := range out {
		out[j] = (out[j] - s.middle[j]) / s.spread[j]
	}
	return &out
}

func (s *scale) unscale(w *weightTable) weightTable {
	out := *w
	for k := range out {
		for j := range out[k] {
			out[k][j] /= s.spread[j]
			if j != fOne {
				out[k][fOne] -= out[k][j] * s.middle[j]
			}
		}
	}
	return out
}

func (s *scale) gradient(w *weightTable, data []sample, batch []int) *weightTable {
	var g weightTable
	for _, i := range batch {
		one := &data[i]
		utilities, measured := make([]float64, len(one.right)), make([]*features, len(one.right))
		for k := range utilities {
			measured[k] = s.scaled(&one.m.features[k])
			for j, x := range measured[k] {
				utilities[k] += float64(w[one.m.state.choices[k].kind][j] * x)
			}
		}
		for k, d := range one.slopes(softmax(utilities)) {
			if math.Abs(d) < 1e-5 {
				continue
			}
			of := &g[one.m.state.choices[k].kind]
			for j, x := range measured[k] {
				of[j] += float64(d * x)
			}
		}
	}
	return &g
}

// fitModel fits the kernels, and then the weights. It does not change the samples, so that several
// models may be fitted at once. Features from without[0] up to without[1] have weight 0.
func fitModel(data []sample, without ...int) *model {
	var out model
	var both sync.WaitGroup
	both.Go(func() { out.Examples = fitKernel(data, func(m *measurement) *pairList { return &m.examples }) })
	both.Go(func() { out.Clauses = fitKernel(data, func(m *measurement) *pairList { return &m.criteria }) })
	both.Wait()
	data = slices.Clone(data)
	for i := range data {
		m := *data[i].m
		m.features = slices.Clone(m.features)
		m.model = &out
		m.noteKernels()
		for k := range m.features {
			if len(without) == 2 {
				clear(m.features[k][without[0]:without[1]])
			}
		}
		data[i].m = &m
	}
	scale, none := measureScale(data), weightTable{}
	fitted := fitWeights(data, scale, &none, weightPenalty)
	out.Weights = scale.unscale(&fitted)
	return &out
}

// fitting is the data that models are fitted to. The class probabilities of a persona's lines come
// from a classifier that was not fitted to its group.
type fitting struct {
	kinds       []classified
	readers     [groupCount]*Reader
	full, prose []sample
}

func newFitting(t testing.TB) *fitting {
	x := NewLexicon()
	f := &fitting{kinds: listKinds(t, x)}
	var groups sync.WaitGroup
	var full, prose [groupCount][]sample
	for g := range groupCount {
		groups.Go(func() {
			r := newReader(fitClassifier(withoutGroup(f.kinds, g), int(kindCount)))
			f.readers[g] = r
			for i := g; i < len(fittedPersonas); i += groupCount {
				lines, talk := readCorpus(t, fittedPersonas[i]), readTalk(t, fittedPersonas[i])
				full[g] = append(full[g], lineSamples(r, g, lines, here, 1)...)
				full[g] = append(full[g], lineSamples(r, g, talk, here, talkWeight)...)
				full[g] = append(full[g], ownSamples(t, r, g, fittedPersonas[i])...)
				full[g] = append(full[g], deniedSamples(t, r, g, fittedPersonas[i])...)
				full[g] = append(full[g], claimSamples(t, r, g, fittedPersonas[i])...)
				prose[g] = append(prose[g], lineSamples(r, g, lines, proseOnly, 1)...)
				prose[g] = append(prose[g], lineSamples(r, g, talk, proseOnly, talkWeight)...)
			}
		})
	}
	groups.Wait()
	f.full, f.prose = slices.Concat(full[:]...), slices.Concat(prose[:]...)
	return f
}

func TestFit(t *testing.T) {
	if !*fit {
		t.Skip("only with -fit")
	}
	f := newFitting(t)
	var table bytes.Buffer
	fitClassifier(f.kinds, int(kindCount)).writeTo(&table)
	assert.NoError(t, os.WriteFile("kinds.bin", table.Bytes(), 0o644))
	fitted := &fittedModels{Full: fitModel(f.full).rounded(), Prose: fitModel(f.prose).rounded()}
	text := assert.Value(json.Marshal(fitted))(t)
	text = append(bytes.ReplaceAll(text, []byte("],"), []byte("],\n")), '\n')
	assert.NoError(t, os.WriteFile("weights.json", text, 0o644))
}

func (m *model) rounded() model {
	out := *m
	for k := range out.Weights {
		roundAll(out.Weights[k][:])
	}
	for _, kn := range [...]*kernel{&out.Examples, &out.Clauses} {
		for _, x := range kn.flatten() {
			*x = math.Round(*x*1000) / 1000
		}
	}
	return out
}

func roundAll(numbers []float64) {
	for i := range numbers {
		numbers[i] = math.Round(numbers[i]*1000) / 1000
	}
}

func (f *Figures) add(o *Figures) {
	f.Lines, f.Right, f.Innocent, f.KickedOut = f.Lines+o.Lines, f.Right+o.Right, f.Innocent+o.Innocent, f.KickedOut+o.KickedOut
	f.Wrong = append(f.Wrong, o.Wrong...)
	for k := range f.decisions {
		d, from := &f.decisions[k], &o.decisions[k]
		d.Wanted, d.Made, d.Right = d.Wanted+from.Wanted, d.Made+from.Made, d.Right+from.Right
	}
}
