package offline

import "github.com/parley-npc/parley/personas"

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
	fViolence // see nlu.Acts
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
