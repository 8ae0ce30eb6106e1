package intent

import (
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"sync"

	"github.com/parley-npc/parley/personas"
)

// kindTable is written by TestFit.
//
//go:embed kinds.bin
var kindTable []byte

const (
	meaningSize  = len(Embedding{})
	measureSize  = meaningSize + 13
	meaningScale = 3
	manyWords    = 20
)

type classifierInput struct {
	cues     []uint32 // sorted, without duplicates
	measures [measureSize]float64
}

func newClassifierInput(text *Reading, a *Acts) classifierInput {
	input := classifierInput{cues: text.cues()}
	slices.Sort(input.cues)
	input.cues = slices.Compact(input.cues)
	for i, v := range text.Meanings()[0].about {
		input.measures[i] = meaningScale * float64(v)
	}
	copy(input.measures[meaningSize:], []float64{
		1, a.Violence, a.Insult, a.Theft, a.Blocked, a.GivesUp,
		asNumber(a.Question), asNumber(a.AboutYou), asNumber(a.Negated), asNumber(a.Past),
		min(1, float64(a.Words)/manyWords), float64(a.Strange) / float64(max(1, a.Words)), a.Menace,
	})
	return input
}

func (input *classifierInput) lengthScale() float64 {
	return 1 / math.Sqrt(float64(max(1, len(input.cues))))
}

type classifier struct {
	classes  int
	cues     []uint32  // known cues, sorted
	weights  []float32 // of each cue for each class
	measures []float32 // of each measure for each class
}

func (c *classifier) logProbabilities(input *classifierInput) []float64 {
	out, scale := make([]float64, c.classes), input.lengthScale()
	for _, cue := range input.cues {
		if i, ok := slices.BinarySearch(c.cues, cue); ok {
			addScaled(out, c.weights[i*c.classes:], scale)
		}
	}
	for i, v := range input.measures {
		if v != 0 {
			addScaled(out, c.measures[i*c.classes:], v)
		}
	}
	return logShares(out)
}

func addScaled(sums []float64, weights []float32, factor float64) {
	weights = weights[:len(sums)]
	for i := range sums {
		sums[i] += float64(factor * float64(weights[i]))
	}
}

func logSumExp(numbers []float64) float64 {
	top, sum := slices.Max(numbers), 0.0
	for _, x := range numbers {
		sum += math.Exp(x - top)
	}
	return top + math.Log(sum)
}

func logShares(utilities []float64) []float64 {
	out, sum := make([]float64, len(utilities)), logSumExp(utilities)
	for i, u := range utilities {
		out[i] = RoundScore(u - sum)
	}
	return out
}

func softmax(utilities []float64) []float64 {
	out, sum := make([]float64, len(utilities)), logSumExp(utilities)
	for i, u := range utilities {
		out[i] = RoundScore(math.Exp(u - sum))
	}
	return out
}

var errClassifier = errors.New("intent: the table of the classifier is damaged")

// newClassifier decodes a little-endian table. The header contains the numbers of classes and cues,
// and the unit of the cue weights. The weights of the measures, the cues and one signed byte per
// cue weight follow.
func newClassifier(table []byte) (*classifier, error) {
	var head struct {
		Classes, Cues uint32
		Unit          float32
	}
	n, err := binary.Decode(table, binary.LittleEndian, &head)
	classes, cues := int(head.Classes), int(head.Cues)
	if err != nil || classes != int(kindCount) || len(table) != n+4*measureSize*classes+4*cues+classes*cues {
		return nil, errClassifier
	}
	c := &classifier{
		classes: classes, measures: make([]float32, measureSize*classes),
		cues: make([]uint32, cues), weights: make([]float32, classes*cues),
	}
	weights := make([]int8, len(c.weights))
	for _, part := range [...]any{c.measures, c.cues, weights} {
		table = table[n:]
		if n, err = binary.Decode(table, binary.LittleEndian, part); err != nil {
			return nil, err
		}
	}
	for i, w := range weights {
		c.weights[i] = head.Unit * float32(w)
	}
	return c, nil
}

const maxCues = 4 * maxTokens

// cues returns hashes of stems, pairs of stems, sentence bounds and span marks. Hashes keep words
// out of the table.
func (r *Reading) cues() []uint32 {
	var out []uint32
	for _, s := range r.listSpans() {
		for _, sentence := range splitSentences(s.tokens) {
			out = r.lexicon.appendCues(out, sentence, &s)
		}
	}
	return out[:min(len(out), maxCues)]
}

func (x *Lexicon) appendCues(out []uint32, ts []token, s *span) []uint32 {
	mark, last := "", "<"
	switch {
	case s.action:
		mark = "*"
	case s.quoted:
		mark = `"`
	}
	for _, t := range ts {
		word := t.text
		switch t.kind {
		case clauseEnd:
			word = ","
		case sentenceEnd:
			word = "."
		case questionEnd:
			word = "?"
		case wordToken:
			word = x.stemOf(t.text, english).word
		}
		if '0' <= word[0] && word[0] <= '9' {
			word = "0"
		}
		out = append(out, hashCue(mark, word, ""), hashCue(mark, last, word))
		last = word
	}
	if mark != "" {
		out = append(out, hashCue(mark, "", ""))
	}
	return append(out, hashCue(mark, last, ">"))
}

func hashCue(mark, first, second string) uint32 {
	h := uint32(2166136261)
	for _, part := range [...]string{mark, "|", first, " ", second} {
		for i := range len(part) {
			h = (h ^ uint32(part[i])) * 16777619
		}
	}
	return h
}

type kind int

const (
	pass kind = iota
	redirect
	reject
	kickOut
	followUp
	aside
	kindCount
)

var kindNames = [kindCount]string{
	string(personas.DecidePass), string(personas.DecideRedirect), string(personas.DecideReject),
	string(personas.DecideKickOut), personas.FollowUpName, personas.AsideName,
}

func asNumber(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// Each kind of choice has its own weight for each feature. docs/figures.md ("Offline model") shows
// the effect of each group.
const (
	fOne              = iota
	fBest             // similarity of the nearest example
	fCriterion        // similarity of the nearest clause of a criterion, or of an answered question for the aside
	fMeaning          // cosine with the centre of the examples
	fMeaningBest      // cosine with the nearest example
	fMeaningCriterion // cosine with the nearest clause of a criterion
	fIntervalIn       // the criteria contain a number of the message
	fIntervalOut      // the criteria contain none of the message's numbers
	fOpposed          // greatest share of an example that the message negates
	fKernel           // logarithm of the choice's share of the support by examples
	fClauses          // logarithm of the choice's share of the support by criteria

	fKinds       = iota                           // log probability of each decision by the message alone
	fSlots       = fKinds + int(kindCount)        // see slotMeasures
	fSlotMargin  = fSlots + slotMeasureCount      // differences to the best other choice
	fLength      = fSlotMargin + slotMeasureCount // see noteLength
	featureCount = fLength + 12
)

const minLogShare = -6

type features [featureCount]float64

type weightTable [kindCount][featureCount]float64

type model struct {
	Weights           weightTable
	Examples, Clauses kernel
}

type fittedModels struct{ Full, Prose model }

// weightFile is written by TestFit.
//
//go:embed weights.json
var weightFile []byte

var readModels = sync.OnceValue(func() *fittedModels {
	m := new(fittedModels)
	if err := json.Unmarshal(weightFile, m); err != nil {
		panic(err) // the file is embedded, and every test reads it
	}
	return m
})

type kernel struct {
	Weights [pairCount]float64
	Bias    [kindCount]float64
	Empty   [kindCount]float64
	Crowd   float64 // factor for the logarithm of the number of texts
}

func (kn *kernel) measureNearness(p *pair) float64 {
	sum := 0.0
	for i, x := range p {
		sum += float64(kn.Weights[i] * x)
	}
	return sum
}

func (kn *kernel) utilities(choices []choice, l *pairList) []float64 {
	out := make([]float64, len(choices))
	for k, pairs := range l.pairs {
		if kind := choices[k].kind; len(pairs) == 0 {
			out[k] = kn.Empty[kind]
		} else {
			out[k] = kn.Bias[kind] + kn.sumNearness(pairs) - kn.Crowd*math.Log(float64(l.counts[k]))
		}
	}
	return out
}

func (kn *kernel) sumNearness(pairs []pair) float64 {
	near := make([]float64, len(pairs))
	for i := range pairs {
		near[i] = kn.measureNearness(&pairs[i])
	}
	return logSumExp(near)
}
