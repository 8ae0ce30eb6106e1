package intent

import (
	_ "embed"
	"encoding/json"
	"math"
	"sync"

	"github.com/parley-npc/parley/personas"
)

// kind is the kind of a choice, which selects its weights.
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

// The features of a message and one choice. There is a weight for each feature and each kind of
// choice. docs/figures.md ("Offline model") has the effect of each group.
const (
	fOne              = iota
	fBest             // likeness of the nearest example
	fCriterion        // likeness of the nearest clause of a criterion; of the aside: of a question that the author answers
	fMeaning          // cosine with the middle of the examples
	fMeaningBest      // cosine with the nearest example
	fMeaningCriterion // cosine with the nearest clause of a criterion
	fIntervalIn       // a number that the criteria name
	fIntervalOut      // and one that they do not
	fOpposed          // greatest share of an example that the message denies
	fKernel           // logarithm of the share of what the examples say, together, for the choice
	fClauses          // the same of what the clauses of the criteria say

	fKinds       = iota                           // logarithms of how probable each decision is by the message alone
	fSlots       = fKinds + int(kindCount)        // see slotMeasures
	fSlotMargin  = fSlots + slotMeasureCount      // and before the best other choice
	fLength      = fSlotMargin + slotMeasureCount // see noteLength
	featureCount = fLength + 12
)

// coverage is measured for the whole message, so that a sentence with an example does not hide
// sentences without one.
type coverage struct {
	heard          float64 // share of the message's words that the choice's examples have together
	used           float64 // share that the nearest example has
	score          float64 // likeness of the nearest example
	criterionHeard float64 // share of the message's words that the choice's criteria have
}

// least is the lower bound of the logarithms of shares.
const least = -6

type features [featureCount]float64

// weightTable has a weight for each kind of choice and each feature.
type weightTable [kindCount][featureCount]float64

// model has all fitted weights.
type model struct {
	Weights           weightTable
	Examples, Clauses kernel
}

// fittedModels are the models of states with examples and of states without.
type fittedModels struct{ Full, Prose model }

// weightFile is written by TestFit.
//
//go:embed weights.json
var weightFile []byte

// readModels reads weights.json on first use.
var readModels = sync.OnceValue(func() *fittedModels {
	m := new(fittedModels)
	if err := json.Unmarshal(weightFile, m); err != nil {
		panic(err) // the file is embedded, and every test reads it
	}
	return m
})

// kernel weighs the similarity of a message and a text, and sums it over the texts of each choice.
type kernel struct {
	Weights [pairCount]float64
	Bias    [kindCount]float64 // of a choice with texts
	Empty   [kindCount]float64 // of a choice without
	Crowd   float64            // of the logarithm of the number of texts, taken off
}

func (kn *kernel) measureNearness(p *pair) float64 {
	sum := 0.0
	for i, x := range p.measures {
		sum += float64(kn.Weights[i] * x)
	}
	return sum
}

// utilities returns the support of each choice by its texts. It grows with their number and their
// similarity.
func (kn *kernel) utilities(kinds []kind, l *pairList) []float64 {
	out := make([]float64, len(kinds))
	for k := range out {
		out[k] = kn.Empty[kinds[k]]
	}
	for from := 0; from < len(l.pairs); {
		k, to := l.pairs[from].choice, from+1
		for to < len(l.pairs) && l.pairs[to].choice == k {
			to++
		}
		out[k] = kn.Bias[kinds[k]] + kn.sumNearness(l.pairs[from:to]) - kn.Crowd*math.Log(float64(l.counts[k]))
		from = to
	}
	return out
}

// sumNearness is the logarithm of the sum of the exponentials.
func (kn *kernel) sumNearness(pairs []pair) float64 {
	top, sum := kn.measureNearness(&pairs[0]), 1.0
	for i := range pairs[1:] {
		if v := kn.measureNearness(&pairs[i+1]); v > top {
			top, sum = v, sum*math.Exp(top-v)+1
		} else {
			sum += math.Exp(v - top)
		}
	}
	return top + math.Log(sum)
}
