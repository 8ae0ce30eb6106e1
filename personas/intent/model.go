package intent

import (
	_ "embed"
	"encoding/json"
	"math"
	"sync"

	"github.com/parley-npc/parley/personas"
)

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
	string(personas.DecidePass), string(personas.DecideRedirect), string(personas.DecideReject), string(personas.DecideKickOut),
	personas.FollowUpName, personas.AsideName,
}

func asNumber(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// The features of a message and one choice, with one weight for each kind of choice.
// docs/figures.md ("Offline model") shows the effect of each group.
const (
	fOne              = iota
	fBest             // similarity of the nearest example
	fCriterion        // similarity of the nearest clause of a criterion; for the aside: of the nearest question with an answer
	fMeaning          // cosine with the centre of the examples
	fMeaningBest      // cosine with the nearest example
	fMeaningCriterion // cosine with the nearest clause of a criterion
	fIntervalIn       // the message has a number that the criteria contain
	fIntervalOut      // the message has numbers, but none that the criteria contain
	fOpposed          // greatest share of an example that the message negates
	fKernel           // logarithm of the choice's share of the support by all examples
	fClauses          // logarithm of the choice's share of the support by all clauses of criteria

	fKinds       = iota                           // logarithms of the probability of each decision by the message alone
	fSlots       = fKinds + int(kindCount)        // see slotMeasures
	fSlotMargin  = fSlots + slotMeasureCount      // differences to the best other choice
	fLength      = fSlotMargin + slotMeasureCount // see noteLength
	featureCount = fLength + 12
)

// least is the lower bound of the logarithms of shares.
const least = -6

type features [featureCount]float64

type weightTable [kindCount][featureCount]float64

type model struct {
	Weights           weightTable
	Examples, Clauses kernel
}

// fittedModels are the models for states with examples and for states without.
type fittedModels struct{ Full, Prose model }

// weightFile contains the encoded fittedModels. TestFit writes the file.
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

// kernel computes a similarity of a message and a text, and combines the similarities of all texts
// of each choice.
type kernel struct {
	Weights [pairCount]float64
	Bias    [kindCount]float64
	Empty   [kindCount]float64
	Crowd   float64 // factor for the logarithm of the number of texts, which is subtracted
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

// sumNearness returns the logarithm of the sum of the exponentials of all similarities.
func (kn *kernel) sumNearness(pairs []pair) float64 {
	near := make([]float64, len(pairs))
	for i := range pairs {
		near[i] = kn.measureNearness(&pairs[i])
	}
	return logSum(near)
}
