package intent

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

var fit = flag.Bool("fit", false, "fit the model to the corpus and write weights.json and kinds.bin")

// The weights of the data relative to a line of the corpus, and numbers of messages tried.
const (
	// ownShare is the total weight of an author's own examples, as a number of lines per persona.
	// Each example is compared with the others.
	ownShare, maxOwn = 10, 150
	// talkWeight is the weight of a line of small talk, and talkKindWeight its weight for the
	// classifier. With greater weights, passes become small talk.
	talkWeight, talkKindWeight = 0.2, 0.3
	// deniedWeight is the weight of the contrary of a line, and deniedExample that of an example.
	deniedWeight, deniedExample = 0.4, 0.15
	claimWeight                 = 0.1
	exampleWeight               = 0.7 // for the classifier
	messageWeight               = 0.2 // for the classifier
	// groupCount is the number of groups of personas for cross-validation: a
	// model that is fitted to all other groups is tried on each.
	groupCount     = 6
	smallTalkTried = 12
	messagesTried  = 16
	claimsTried    = 12
	maxJoined      = 4
)

// Hyperparameters of the fits, chosen by cross-validation over personas.
const (
	classifierRounds  = 12
	classifierRate    = 0.2
	classifierPenalty = 0.0005
	minCounts         = 2

	kernelRounds  = 8
	kernelRate    = 0.05
	kernelPenalty = 0.001
	kernelBatch   = 32

	weightRounds  = 30
	weightRate    = 0.002
	weightPenalty = 0.002
	weightBatch   = 64
)

var priors = map[string]float64{"pass": 0.4, "redirect": 0.1, "reject": 0.1, "kick_out": 0.12, "follow_up": 0.08, "aside": 0.5}

var (
	idleClasses   = []string{"smalltalk", "sharing", "banter", "about_character", "hello_thanks_bye", "about_world", "unsure", "nonsense"}
	attackClasses = []string{"insult", "threat", "violence", "crude"}
)

type sample struct {
	m      *measurement
	right  []bool
	weight float64
}

func newSample(m *measurement, weight float64, isRight func(*choice) bool) sample {
	s := sample{m: m, weight: weight}
	for k := range m.state.choices {
		s.right = append(s.right, isRight(&m.state.choices[k]))
	}
	return s
}

// slopes returns the derivative of the loss with respect to each utility, or nil if no choice is
// right.
func (s *sample) slopes(probability []float64) []float64 {
	if !slices.Contains(s.right, true) {
		return nil
	}
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
	return out
}

// example is a text of an author with its decision, and for a pass its target.
type example struct {
	at                     Place
	text, decision, target string
}

func (e *example) isRight(c *choice) bool {
	return c.decision == e.decision && (e.target == "" || e.decision != "pass" || c.target == e.target)
}

func listExamples(t testing.TB, name string) (out []example) {
	for _, at := range openPlaces(t, name) {
		for _, c := range listChoices(&at) {
			for _, e := range c.examples {
				out = append(out, example{at, e.Say, c.decision, c.target})
			}
		}
		for _, a := range listAnswers(&at) {
			for _, ask := range a.Ask {
				out = append(out, example{at, ask, personas.AsideName, ""})
			}
		}
	}
	return out
}

func messagesOf(t testing.TB, classes ...string) (out []string) {
	for _, l := range readMessages(t, "messages") {
		if slices.Contains(classes, l.Category) {
			out = append(out, l.Text)
		}
	}
	return out
}

func lineSamples(r *Reader, lines []CorpusLine, at func(Place) Place, weight float64) (out []sample) {
	places := make(map[*personas.State]Place)
	for i := range lines {
		l := &lines[i]
		place := placeOnce(places, l, at)
		e := example{text: l.Text, decision: l.Label, target: l.To}
		out = append(out, newSample(r.measure(r.prepare(&place), l.Text, ""), weight, e.isRight))
	}
	return out
}

// ownSamples returns the author's examples as messages, each compared with the other examples, and
// lines of the intents as asides.
func ownSamples(t testing.TB, r *Reader, name string) (out []sample) {
	var tried []example
	counts := make(map[string]float64)
	add := func(e example) {
		tried = append(tried, e)
		counts[e.decision]++
	}
	examples, n, last := listExamples(t, name), len(name), (*personas.State)(nil)
	idle, hostile, lines := messagesOf(t, idleClasses...), messagesOf(t, attackClasses...), r.bankOf("en").lines.texts
	every := 1 + len(examples)/maxOwn
	for i, e := range examples {
		if (i+1)%every == 0 {
			add(e)
		}
		if e.at.State == last {
			continue
		}
		last = e.at.State
		for range smallTalkTried {
			n += 37
			add(example{e.at, lines[n%len(lines)], "aside", ""})
		}
		for range messagesTried {
			n += 37
			add(example{e.at, idle[n%len(idle)], "aside", ""})
			add(example{e.at, hostile[n%len(hostile)], "kick_out", ""})
		}
	}
	for _, e := range tried {
		m := r.measure(r.prepareState(&e.at, e.text), e.text, e.text)
		out = append(out, newSample(m, ownShare*priors[e.decision]/counts[e.decision], e.isRight))
	}
	return out
}

func isInsufficient(c *choice) bool {
	return c.kind == redirect || c.kind == followUp || c.kind == aside
}

// claimSamples returns claims that suit any story (claims.jsonl), alone and joined, as asides in
// each state of a persona.
func claimSamples(t testing.TB, r *Reader, group int, name string) (out []sample) {
	claims, random := readTexts(t, "claims"), rand.New(rand.NewPCG(7, uint64(len(name)+group)))
	for _, at := range openPlaces(t, name) {
		for i := range claimsTried {
			text := ""
			for range 1 + i%maxJoined {
				text = joinClaims(text, claims[random.IntN(len(claims))])
			}
			out = append(out, newSample(r.measure(r.prepare(&at), text, ""), claimWeight, isInsufficient))
		}
	}
	return out
}

// denials turn a text into its contrary. Only the first denial that matches is applied, once.
var denials = []struct {
	said *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`(?i)\b(I|we) (can|will|would|could|should|must)\b( not)?`), "$1 $2 not"},
	{regexp.MustCompile(`(?i)\b(I'll|I will|we'll)\b`), "I won't"},
	{regexp.MustCompile(`(?i)\bI'?m (going to|gonna)\b`), "I'm not going to"},
	{regexp.MustCompile(`(?i)\b(I'm|I am|im)\b`), "I'm not"},
	{regexp.MustCompile(`(?i)\b(I was|we were)\b`), "$1 never"},
	{regexp.MustCompile(`(?i)\b(I've|I have) (got )?(a|an|the|my|some|two|three)\b`), "I don't have $3"},
	{regexp.MustCompile(`(?i)\b(I've|I have|I had)\b`), "I have never"},
	{regexp.MustCompile(`(?i)\b(I|we) (know|want|need|like|love|bring|give|take|offer|promise|think|believe|see|work|live|come|help|pay|agree|hear|remember|swear|trust|look|put|go|make|ask|say|tell|try|hope|wish|feel|check|open|close|hold|use|stay|leave|listen|wait|carry|sing|write|read|play|eat|drink|keep|call|send|turn)\b`), "$1 don't $2"},
	{regexp.MustCompile(`(?i)\b(I|we) (was|were|did|made|gave|took|brought|saw|heard|knew|had|got|came|went|told|lost|broke|forgot|found|felt|left|put|\w+ed)\b`), "$1 never $2"},
	{regexp.MustCompile(`(?i)\b(it's|it is|that's|that is|this is|he is|she is|he's|she's|they are|there is|there's)\b`), "$1 not"},
	{regexp.MustCompile(`(?i)\b(is|are|was|were|has|can|will)\b`), "$1 not"},
	{regexp.MustCompile(`(?i)^(my|the|a|an|some|one|two|three) `), "not $1 "},
}

var (
	hasDenial = regexp.MustCompile(`(?i)\b(not|no|never|nothing|nobody|none|neither|nor|without|cannot|cant|dont|wont|didnt|isnt)\b|n't\b|n’t\b`)
	// refusalPattern matches a contrary that may be a rejection. All other contraries are insufficient.
	refusalPattern = regexp.MustCompile(`(?i)\b(won't|wont|will not|not going to|would not|don't (want|like|care|give|tell|promise|swear|agree|trust|help|pay))\b`)
)

// denied returns the contrary of an English text. It returns "" for a denial, a question, several
// sentences or more than 12 words, and if no rule matches.
func denied(text string) string {
	text = strings.TrimSpace(text)
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".!;,", r) })
	several := len(slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" })) > 1
	if hasDenial.MatchString(text) || strings.ContainsAny(text, "?*\n") || several || len(strings.Fields(text)) > 12 {
		return ""
	}
	for _, d := range denials {
		if at := d.said.FindStringIndex(text); at != nil {
			return text[:at[0]] + d.said.ReplaceAllString(text[at[0]:at[1]], d.by) + text[at[1]:]
		}
	}
	return ""
}

// deniedSamples returns the contraries of a persona's passes as samples. For each of them a
// redirect, a follow-up or an aside is right, and for a refusal also a reject.
func deniedSamples(t testing.TB, r *Reader, name string) (out []sample) {
	add := func(at Place, said, decision string, weight float64) {
		if text := denied(said); decision == "pass" && text != "" {
			refuses := refusalPattern.MatchString(text)
			out = append(out, newSample(r.measure(r.prepare(&at), text, ""), weight, func(c *choice) bool { return isInsufficient(c) || c.kind == reject && refuses }))
		}
	}
	for _, l := range readCorpus(t, name) {
		add(l.Place, l.Text, l.Label, deniedWeight)
	}
	for _, e := range listExamples(t, name) {
		add(e.at, e.text, e.decision, deniedExample)
	}
	return out
}

type classified struct {
	input  classifierInput
	class  int
	weight float64
	group  int // of personas; -1 for no persona
}

func listKinds(t testing.TB, x *Lexicon) (out []classified) {
	add := func(text, decision string, weight float64, group int) {
		read := x.Read(text)
		a := read.Acts()
		out = append(out, classified{newClassifierInput(read, &a), slices.Index(kindNames[:], decision), weight, group})
	}
	for _, text := range append(messagesOf(t, idleClasses...), readTexts(t, "claims")...) {
		add(text, "aside", messageWeight, -1)
	}
	for i, name := range fittedPersonas {
		for _, l := range readCorpus(t, name) {
			add(l.Text, l.Label, 1, i%groupCount)
		}
		for _, l := range readTalk(t, name) {
			add(l.Text, l.Label, talkKindWeight, i%groupCount)
		}
		for _, e := range listExamples(t, name) {
			add(e.text, e.decision, exampleWeight, i%groupCount)
		}
	}
	return out
}

// fitClassifier maximizes the probability of the classes by gradient descent with a separate rate
// for each weight (AdaGrad). It leaves out a group.
func fitClassifier(data []classified, without int) *classifier {
	data = slices.DeleteFunc(slices.Clone(data), func(s classified) bool { return s.group == without && without >= 0 })
	classes, counts := int(kindCount), make(map[uint32]int)
	c := &classifier{classes: classes, measures: make([]float32, measureSize*classes)}
	for i := range data {
		for _, cue := range data[i].input.cues {
			if counts[cue]++; counts[cue] == minCounts {
				c.cues = append(c.cues, cue)
			}
		}
	}
	slices.Sort(c.cues)
	c.weights = make([]float32, len(c.cues)*classes)
	squares := classifier{weights: make([]float32, len(c.weights)), measures: make([]float32, len(c.measures))}
	random := rand.New(rand.NewPCG(1, 2))
	for range classifierRounds {
		for _, i := range random.Perm(len(data)) {
			c.learn(&squares, &data[i])
		}
	}
	return c
}

func (c *classifier) learn(squares *classifier, s *classified) {
	slopes := c.logProbabilities(&s.input)
	for i := range slopes {
		slopes[i] = s.weight * math.Exp(slopes[i])
	}
	slopes[s.class] -= s.weight
	descend := func(weights, squares []float32, x float64) {
		for i, d := range slopes {
			d = float64(d*x) + float64(classifierPenalty*float64(weights[i]))
			squares[i] += float32(d * d)
			weights[i] -= float32(classifierRate * d / (math.Sqrt(float64(squares[i])) + 1e-6))
		}
	}
	for _, cue := range s.input.cues {
		if i, ok := slices.BinarySearch(c.cues, cue); ok {
			descend(c.weights[i*c.classes:], squares.weights[i*c.classes:], s.input.lengthScale())
		}
	}
	for i, v := range s.input.measures {
		if v != 0 {
			descend(c.measures[i*c.classes:], squares.measures[i*c.classes:], v)
		}
	}
}

func (c *classifier) writeTo(out *bytes.Buffer) {
	unit := max(float32(1e-6), slices.Max(c.weights), -slices.Min(c.weights)) / 127
	weights := make([]int8, len(c.weights))
	for i, w := range c.weights {
		weights[i] = int8(math.Round(float64(w / unit)))
	}
	for _, v := range []any{uint32(c.classes), uint32(len(c.cues)), unit, c.measures, c.cues, weights} {
		if err := binary.Write(out, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
}

// startKernel returns the kernel with which the fit starts. The penalty of the fit is the distance
// from it.
func startKernel() kernel {
	k := kernel{Crowd: 1}
	k.Weights[pScore], k.Weights[pMeaning] = 4, 10
	return k
}

func (kn *kernel) flatten() []*float64 {
	var out []*float64
	for _, numbers := range [][]float64{kn.Weights[:], kn.Bias[:], kn.Empty[:]} {
		for i := range numbers {
			out = append(out, &numbers[i])
		}
	}
	return append(out, &kn.Crowd)
}

// fitKernel maximizes the probability of the right choices (Adam, with a penalty on the distance
// from the initial kernel).
func fitKernel(data []sample, listOf func(*measurement) *pairList) kernel {
	kn, start, slope := startKernel(), startKernel(), kernel{}
	var mean, square kernel
	random := rand.New(rand.NewPCG(3, 4))
	for round := range kernelRounds {
		for n, i := range random.Perm(len(data)) {
			kn.addSlope(&slope, &data[i], listOf(data[i].m))
			if n%kernelBatch == kernelBatch-1 {
				kn.descend(&slope, &start, &mean, &square, kernelRate/(1+0.3*float64(round)))
				slope = kernel{}
			}
		}
	}
	return kn
}

func (kn *kernel) descend(slope, start, mean, square *kernel, rate float64) {
	g, s, m, q := slope.flatten(), start.flatten(), mean.flatten(), square.flatten()
	for i, w := range kn.flatten() {
		d := *g[i]/kernelBatch + float64(kernelPenalty*(*w-*s[i]))
		*m[i] = 0.9**m[i] + 0.1*d
		*q[i] = 0.99**q[i] + 0.01*d*d
		*w -= rate * *m[i] / (math.Sqrt(*q[i]) + 1e-8)
	}
}

func (kn *kernel) addSlope(slope *kernel, s *sample, l *pairList) {
	utilities := kn.utilities(s.m.state.choices, l)
	d := s.slopes(softmax(utilities))
	if d == nil {
		return
	}
	for k, c := range s.m.state.choices {
		if l.counts[k] == 0 {
			slope.Empty[c.kind] += d[k]
			continue
		}
		crowd := math.Log(float64(l.counts[k]))
		slope.Bias[c.kind] += d[k]
		slope.Crowd -= d[k] * crowd
		sum := utilities[k] + kn.Crowd*crowd - kn.Bias[c.kind]
		for i := range l.pairs[k] {
			p := &l.pairs[k][i]
			share := d[k] * math.Exp(kn.measureNearness(p)-sum)
			for j, x := range p {
				slope.Weights[j] += float64(share * x)
			}
		}
	}
}

// fitWeights maximizes the probability of the right choices: a conditional logit of standardized
// measures, with a squared penalty on the weights (Adam).
func fitWeights(data []sample, scale *scale) (w weightTable) {
	var mean, square weightTable
	random, step := rand.New(rand.NewPCG(5, 6)), 0.0
	for round := range weightRounds {
		rate := weightRate * (1 - float64(round)/weightRounds)
		for batch := range slices.Chunk(random.Perm(len(data)), weightBatch) {
			step++
			g := scale.gradient(&w, data, batch)
			for k := range w {
				for i := range w[k] {
					d := g[k][i]/weightBatch + float64(weightPenalty*w[k][i])
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
		utilities, measured := make([]float64, len(one.right)), slices.Clone(one.m.features)
		for k := range utilities {
			for j, x := range measured[k] {
				measured[k][j] = (x - s.middle[j]) / s.spread[j]
				utilities[k] += float64(w[one.m.state.choices[k].kind][j] * measured[k][j])
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
func fitModel(data []sample, without [2]int) *model {
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
			clear(m.features[k][without[0]:without[1]])
		}
		data[i].m = &m
	}
	scale := measureScale(data)
	fitted := fitWeights(data, scale)
	out.Weights = scale.unscale(&fitted)
	return &out
}

// fitting is the data that models are fitted to. The class probabilities of a persona's lines come
// from a classifier that was not fitted to its group.
type fitting struct {
	kinds       []classified
	full, prose []sample
}

func newFitting(t testing.TB) *fitting {
	f := &fitting{kinds: listKinds(t, NewLexicon())}
	var groups sync.WaitGroup
	var full, prose [groupCount][]sample
	for g := range groupCount {
		groups.Go(func() {
			r := newReader(fitClassifier(f.kinds, g))
			for i := g; i < len(fittedPersonas); i += groupCount {
				name := fittedPersonas[i]
				lines, talk := readCorpus(t, name), readTalk(t, name)
				full[g] = slices.Concat(full[g], lineSamples(r, lines, here, 1), lineSamples(r, talk, here, talkWeight),
					ownSamples(t, r, name), deniedSamples(t, r, name), claimSamples(t, r, g, name))
				prose[g] = slices.Concat(prose[g], lineSamples(r, lines, proseOnly, 1), lineSamples(r, talk, proseOnly, talkWeight))
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
	fitClassifier(f.kinds, -1).writeTo(&table)
	assert.NoError(t, os.WriteFile("kinds.bin", table.Bytes(), 0o644))
	fitted := &fittedModels{Full: *fitModel(f.full, [2]int{}), Prose: *fitModel(f.prose, [2]int{})}
	for _, m := range [...]*model{&fitted.Full, &fitted.Prose} {
		numbers := append(m.Examples.flatten(), m.Clauses.flatten()...)
		for k := range m.Weights {
			for i := range m.Weights[k] {
				numbers = append(numbers, &m.Weights[k][i])
			}
		}
		for _, x := range numbers {
			*x = math.Round(*x*1000) / 1000
		}
	}
	text := assert.Value(json.Marshal(fitted))(t)
	text = append(bytes.ReplaceAll(text, []byte("],"), []byte("],\n")), '\n')
	assert.NoError(t, os.WriteFile("weights.json", text, 0o644))
}
