package offline

import "github.com/parley-npc/parley/personas"

// kind says which weights a choice has.
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

// What is measured of a message and one choice. The weights have one number for
// each of these and each kind of choice.
const (
	fOne              = iota
	fBest                                       // likeness of the nearest example
	fSecond                                     // and of the second
	fHeard                                      // share of the message that the examples have together
	fCriterion                                  // likeness of the nearest clause of a criterion; of the aside: of a question that the author answers
	fCriterionHeard                             // share of the message that the criteria have
	fMargin                                     // of fBest before the best other choice
	fStrong                                     // fBest over 0.6
	fQuestion                                   // the message is a question
	fAboutYou                                   // a question about the character
	fViolence                                   //
	fInsult                                     //
	fTheft                                      //
	fBlocked                                    // an attack that is none
	fGivesUp                                    //
	fNegated                                    //
	fPast                                       //
	fStrange                                    // share of words that no dictionary has
	fShort                                      //
	fLong                                       //
	fIntent                                     // likeness of the nearest built-in intent
	fMaxBest                                    // greatest fBest of all choices
	fAggression                                 // greatest of violence, insult and theft
	fMeaning                                    // cosine with the middle of the examples
	fMeaningBest                                // cosine with the nearest example
	fMeaningCriterion                           // cosine with the nearest clause of a criterion
	fMeaningMargin                              // of fMeaningBest before the best other choice
	fNumberIn                                   // a number within those of the examples
	fNumberOut                                  // a number outside
	fIntervalIn                                 // a number that the criteria name
	fIntervalOut                                // and one that they do not
	fOpposed                                    // greatest share of an example that the message contradicts
	fKernel                                     // logarithm of the share of what the examples say, together, for the choice
	fKernelShare                                // and the share
	fClauses                                    // the same of what the clauses of the criteria say
	fClausesShare                               //
	fKinds                                      // logarithms of how probable each decision is by the message alone
	fManner           = fKinds + int(kindCount) // and how probable each class of mannerClasses
	fHedged           = fManner + mannerCount   // a deed that is only held out; see nlu.Stance
	fWithheld         = fHedged + 1             //
	fConditional      = fHedged + 2             //
	fDeclined         = fHedged + 3             //
	fPromised         = fHedged + 4             //
	fLastDenies       = fHedged + 5             //
	fBareTalk         = fHedged + 6             // small talk; see idletalk.go
	fIdleTalk         = fHedged + 7             //
	fPassableTalk     = fHedged + 8             //
	fMenace           = fHedged + 9             //
	fPeak             = fHedged + 10            // of peakClasses, how probable in the sentence where it is most
	fLast             = fPeak + peakCount       // of the last sentence, the logarithms of how probable each decision is
	fForm             = fLast + int(kindCount)  // logarithm of how probable the marks of the message are among the examples
	fFormMargin       = fForm + 1               // and before the best other choice
	fLength           = fForm + 2               // the same of its length
	fSlots            = fForm + 3               // see slotMeasures
	fSlotsMargin      = fSlots + slotMeasureCount
	fAskedHas         = fSlotsMargin + slotMeasureCount // share of the marks that the pass asks for which the message has
	fAskedLacks       = fAskedHas + 1                   // and share that it lacks
	featureCount      = fAskedHas + 2
)

// least is the smallest logarithm of a share that tells more than a greater one.
const least = -6

type features [featureCount]float64

// weightTable has a weight for each kind of choice and each measure.
type weightTable [kindCount][featureCount]float64

// model is all that is fitted.
type model struct {
	weights           weightTable
	examples, clauses kernel
}
