package intent

import (
	"math"

	"github.com/parley-npc/parley/personas"
)

// kind describes which weights a choice has.
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

// The features of a message and one choice. The weights have one number for each of
// these and each kind of choice. docs/figures.md ("Offline model") says what each
// group is worth.
const (
	fOne       = iota
	fBest      // likeness of the nearest example
	fSecond    // and of the second
	fCriterion // likeness of the nearest clause of a criterion; of the aside: of a question that the author answers
	fMargin    // of fBest before the best other choice
	fStrong    // fBest over 0.6

	fQuestion // the message is a question
	fAsks     // it only asks to be told something
	fNegated  // it denies what it is about
	fAboutYou // it is a question about the character
	fViolence // see Acts
	fInsult
	fTheft
	fBlocked
	fGivesUp
	fPast
	fAggression // greatest of violence, insult and theft

	fMaxBest          // greatest fBest of all choices
	fMeaning          // cosine with the middle of the examples
	fMeaningBest      // cosine with the nearest example
	fMeaningCriterion // cosine with the nearest clause of a criterion
	fMeaningMargin    // of fMeaningBest before the best other choice
	fIntervalIn       // a number that the criteria name
	fIntervalOut      // and one that they do not
	fOpposed          // greatest share of an example that the message denies

	fKernel       // logarithm of the share of what the examples say, together, for the choice
	fKernelShare  // and the share
	fClauses      // the same of what the clauses of the criteria say
	fClausesShare //

	fKinds       = iota                           // logarithms of how probable each decision is by the message alone
	fForm        = fKinds + int(kindCount)        // logarithm of how probable the marks of the message are among the examples
	fFormMargin  = fForm + 1                      // and before the best other choice
	fLength      = fForm + 2                      // the same of its length
	fSlots       = fForm + 3                      // see slotMeasures
	fSlotMargin  = fSlots + slotMeasureCount      // and before the best other choice
	fWhole       = fSlotMargin + slotMeasureCount // see coverage
	fSaid        = fWhole + coverageCount         // see noteLength
	featureCount = fSaid + 12
)

// Coverage is measured of the whole message, so that a sentence that an example has does
// not hide others that none has.
const (
	cHeard          = iota // share of the message's words that the choice's examples have together
	cUsed                  // share that the nearest example has
	cScore                 // likeness of the nearest example
	cCriterionHeard        // share of the message's words that the choice's criteria have
	coverageCount
)

// least is the smallest logarithm of a share that tells more than a greater one.
const least = -6

type features [featureCount]float64

// weightTable has a weight for each kind of choice and each feature.
type weightTable [kindCount][featureCount]float64

// model is all that is fitted.
type model struct {
	weights           weightTable
	examples, clauses kernel
}

// kernel describes how near a message and a text are, and of all texts of a state which
// choice they speak for.
type kernel struct {
	weights [pairCount]float64
	bias    [kindCount]float64 // of a choice with texts
	empty   [kindCount]float64 // of a choice without
	crowd   float64            // of the logarithm of the number of texts, taken off
}

func (kn *kernel) measureNearness(p *pair) float64 {
	sum := 0.0
	for i, x := range p.measures {
		sum += float64(kn.weights[i] * x)
	}
	return sum
}

// utilities returns what the texts of each choice say for it: the more, and the nearer,
// the better.
func (kn *kernel) utilities(kinds []kind, l *pairList) []float64 {
	out := make([]float64, len(kinds))
	for k := range out {
		out[k] = kn.empty[kinds[k]]
	}
	for from := 0; from < len(l.pairs); {
		k, to := l.pairs[from].choice, from+1
		for to < len(l.pairs) && l.pairs[to].choice == k {
			to++
		}
		out[k] = kn.bias[kinds[k]] + kn.sumNearness(l.pairs[from:to]) - kn.crowd*math.Log(float64(l.counts[k]))
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
