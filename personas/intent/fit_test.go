package intent

import (
	"bytes"
	"flag"
	"go/format"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/personas"
)

var fit = flag.Bool("fit", false, "fit the model to the corpus and write weights.go and kinds.bin")

// sample is a message compared with the choices of a state, and which of them
// are right.
type sample struct {
	group  int
	m      *measurement
	right  []bool
	weight float64
}

// slopes are those of the loss by the utilities; nil where no choice is right.
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
	// ownShare is what an author's own examples, tried without themselves, count
	// for together, as a number of lines a persona.
	ownShare = 10
	// talkWeight is what a line of small talk counts beside another line, and talkKindWeight what it
	// counts for the classifier: more of it takes passes for small talk.
	talkWeight, talkKindWeight = 0.2, 0.3
	// groupCount is how many groups of personas there are: what is fitted to the
	// others is tried on each.
	groupCount = 6
	// smallTalkTried is how many lines of the intents are tried in a state.
	smallTalkTried = 12
	// messagesTried is how many messages of strangers that mean the same everywhere.
	messagesTried = 16
)

// What messages that pass elsewhere count, as a number of lines a persona: nothing is a key to
// every state.
const elsewhereShare, attemptShare = 3, 3

// What is tried of those in a state: alone, and strung together.
const aloneTried, strungTried, mostStrung, mostStrungWords = 14, 8, 6, 14

// attempts are the classes of messages.jsonl that attempt something, without saying at what.
var attempts = []string{"offer", "promise", "agree", "apology", "request", "deed", "hedge"}

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
	for i := range lines {
		place := at(lines[i].Place)
		s := newSample(group, r.measure(r.prepare(&place), lines[i].Text, ""), &lines[i])
		s.weight = weight
		out = append(out, s)
	}
	return out
}

// eachExample reports every example of a persona, and every question that its author
// answers.
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
			for _, a := range ListAnswers(&place) {
				for _, ask := range a.Ask {
					tell(place, ask, personas.AsideName, "")
				}
			}
		}
	}
}

// messagesOf are the messages of some classes.
func messagesOf(t testing.TB, classes ...string) []string {
	var out []string
	for _, l := range readMessages(t) {
		if slices.Contains(classes, l.Category) {
			out = append(out, l.Text)
		}
	}
	return out
}

// The classes of messages.jsonl that are an aside, and a kick_out, nearly everywhere.
var (
	idleClasses   = []string{"smalltalk", "sharing", "banter", "about_character", "hello_thanks_bye", "about_world", "unsure", "nonsense"}
	attackClasses = []string{"insult", "threat", "violence", "crude"}
)

// mostOwn is how many of its author's examples of a persona are tried.
const mostOwn = 150

func countExamples(t testing.TB, name string) int {
	n := 0
	eachExample(t, name, func(Place, string, string, string) { n++ })
	return n
}

// elsewhereSamples are messages of a pool in the states of a persona, alone and strung together.
// They are anything but a pass or a kick_out there, and count share together.
func elsewhereSamples(t testing.TB, r *Reader, group int, name string, pool []string, share float64) []sample {
	var out []sample
	random := rand.New(rand.NewPCG(uint64(len(name)), uint64(name[0])))
	for _, at := range openPlaces(t, name) {
		if !canPass(&at) {
			continue
		}
		for i := range aloneTried + strungTried {
			text := pool[random.IntN(len(pool))]
			if i >= aloneTried {
				text = stringTogether(random, pool)
			}
			m := r.measure(r.prepare(&at), text, "")
			s := sample{group: group, m: m, right: make([]bool, len(m.features))}
			for k, c := range m.state.choices {
				s.right[k] = c.kind != pass && c.kind != kickOut
			}
			out = append(out, s)
		}
	}
	for i := range out {
		out[i].weight = share / float64(len(out))
	}
	return out
}

// stringTogether makes a message of some of a pool.
func stringTogether(random *rand.Rand, pool []string) string {
	var parts []string
	for range 2 + random.IntN(mostStrung-1) {
		text := strings.TrimSpace(pool[random.IntN(len(pool))])
		if len(strings.Fields(text)) > mostStrungWords {
			continue
		}
		if !strings.ContainsAny(text[len(text)-1:], ".!?*") {
			text += []string{".", ","}[random.IntN(2)]
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

// listPasses returns the lines that pass with the other fitted personas.
func listPasses(t testing.TB, name string) []string {
	var out []string
	for _, other := range fittedPersonas {
		for _, l := range readCorpus(t, other) {
			if l.Label == "pass" && other != name {
				out = append(out, l.Text)
			}
		}
	}
	return out
}

// ownSamples are the author's examples as messages, each compared with the
// others, and lines of the intents as asides.
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
	seen, every := 0, 1+countExamples(t, name)/mostOwn
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
			lines := r.bankOf("en").lines
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

// What steers the fitting of the weights; found by trying them on personas left out.
const (
	weightRounds  = 30
	weightRate    = 0.002
	weightPenalty = 0.002
	weightBatch   = 64
)

// fitWeights finds the weights under which the right choices are most probable: a
// conditional logit of measures of one scale, with a penalty on the squares of how far they
// go from where they begin (Adam).
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

// scale is the middle of each measure and how far it lies from it.
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

// scaled returns the measures on one scale.
func (s *scale) scaled(x *features) *features {
	out := *x
	for j := range out {
		out[j] = (out[j] - s.middle[j]) / s.spread[j]
	}
	return &out
}

// unscale returns weights that do with the measures as they are what w does with the scaled.
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

// fitModel fits the kernels, and then the weights of what they say. It leaves the samples as
// they are, so that several models may be fitted at once.
func fitModel(data []sample) *model {
	var out model
	var both sync.WaitGroup
	both.Go(func() { out.examples = fitKernel(data, func(m *measurement) *pairList { return &m.examples }) })
	both.Go(func() { out.clauses = fitKernel(data, func(m *measurement) *pairList { return &m.criteria }) })
	both.Wait()
	data = slices.Clone(data)
	for i := range data {
		m := *data[i].m
		m.features = slices.Clone(m.features)
		m.model = &out
		m.noteKernels()
		data[i].m = &m
	}
	scale, none := measureScale(data), weightTable{}
	fitted := fitWeights(data, scale, &none, weightPenalty)
	out.weights = scale.unscale(&fitted)
	return &out
}

// fitting is all that models are fitted to. What a classifier says of a persona's lines
// comes from one that has not seen its group.
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
				full[g] = append(full[g], elsewhereSamples(t, r, g, fittedPersonas[i], listPasses(t, fittedPersonas[i]), elsewhereShare)...)
				full[g] = append(full[g], elsewhereSamples(t, r, g, fittedPersonas[i], messagesOf(t, attempts...), attemptShare)...)
				prose[g] = append(prose[g], lineSamples(r, g, lines, proseOnly, 1)...)
				prose[g] = append(prose[g], lineSamples(r, g, talk, proseOnly, talkWeight)...)
			}
		})
	}
	groups.Wait()
	f.full, f.prose = slices.Concat(full[:]...), slices.Concat(prose[:]...)
	return f
}

// TestFit writes weights.go and kinds.bin when asked to.
func TestFit(t *testing.T) {
	if !*fit {
		t.Skip("only with -fit")
	}
	f := newFitting(t)
	var table bytes.Buffer
	fitClassifier(f.kinds, int(kindCount)).writeTo(&table)
	if err := os.WriteFile("kinds.bin", table.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	out.WriteString("package intent\n\n// Fitted to the corpus by TestFit; not edited by hand.\n\n")
	writeModel(&out, "fullModel", "fullModel is that of states with examples.", fitModel(f.full))
	writeModel(&out, "proseModel", "proseModel is that of states without.", fitModel(f.prose))
	source, err := format.Source(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("weights.go", source, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestLeaveOneOut shows what to expect of personas that the model has not seen: each
// group of the fitted ones is measured with what is fitted to the others.
func TestLeaveOneOut(t *testing.T) {
	if !*fit {
		t.Skip("only with -fit")
	}
	f := newFitting(t)
	var models sync.WaitGroup
	for g, r := range f.readers {
		models.Go(func() {
			isGroup := func(s sample) bool { return s.group == g }
			r.full, r.prose = fitModel(slices.DeleteFunc(slices.Clone(f.full), isGroup)), fitModel(slices.DeleteFunc(slices.Clone(f.prose), isGroup))
		})
	}
	models.Wait()
	var full Figures
	for _, set := range []struct {
		name      string
		from, end int
	}{{"first personas", 0, 27}, {"halves", 27, 37}, {"strangers", 37, len(fittedPersonas)}} {
		var with, prose Figures
		for i := set.from; i < set.end; i++ {
			lines := readCorpus(t, fittedPersonas[i])
			with.add(measureLines(f.readers[i%groupCount], lines, here))
			prose.add(measureLines(f.readers[i%groupCount], lines, proseOnly))
		}
		with.log(t, set.name+", with examples")
		prose.log(t, set.name+", prose only")
		full.add(&with)
	}
	full.log(t, "all, with examples")
	for _, w := range full.Wrong {
		t.Logf("%s/%s want %s got %s: %q: %s", w.Line.Place.Persona.Name, w.Line.State, w.Line.Label, w.Made.Decision, w.Line.Text, w.Made.Why)
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
			if v := r.Decide(l.Place, l.Text); !l.IsRight(v.Decision, v.Rows) {
				t.Logf("%s/%s want %s got %s: %q: %s", name, l.State, l.Label, v.Decision, l.Text, v.Why)
			}
		}
		measureLines(r, lines, here).log(t, name)
		measureLines(r, lines, proseOnly).log(t, name+" prose only")
	}
}
