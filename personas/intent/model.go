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
