package offline

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// fairlySaid is the likeness to a line of an intent from which a message with half of the
// line's words has the intent.
const fairlySaid = 0.7

// hasIntent reports whether a message surely has a built-in intent, and no example of the
// author's is nearer.
func (m *measurement) hasIntent() bool {
	if m.asksHelp {
		return true
	}
	if m.intent.intent == smallTalk || m.intent.score < answeredScore || m.intent.score <= m.features[0][fMaxBest] {
		return false
	}
	half := m.intent.covered > 0 && m.intent.covered < exactScore
	return m.state.language != "en" || !half || m.intent.score >= fairlySaid
}

// asideVerdict returns which of the author's answers fits, else which intent, else
// that the words were not understood. The state's answers go before its
// machine's and these before the persona's.
func (r *Reader) asideVerdict(at *Place, m *measurement, probability float64) Verdict {
	v := Verdict{Decision: personas.AsideName, Confidence: probability}
	last := len(m.features) - 1
	if i := m.nearest[last]; i >= 0 && m.features[last][fCriterion] >= leastAnswered(m) && m.features[last][fCriterion] >= m.intent.score-0.1 {
		v.Answer = m.state.sources[i].answer
		v.Why = fmt.Sprintf("aside %.2f: asked like %q (%.2f)", probability, plaintext.ClipWithin(m.state.examples.texts[i], 80), m.features[last][fCriterion])
		return v
	}
	if m.hasIntent() {
		v.Intent = m.intent.intent
		v.Answer = findAnswer(at, v.Intent)
		v.Why = fmt.Sprintf("aside %.2f: %s, like %q (%.2f)", probability, v.Intent, m.intent.line, m.intent.score)
		return v
	}
	v.Why = fmt.Sprintf("aside %.2f: nothing that the author foresaw", probability)
	return v
}

// manyAnswered is how near a question must be that the author answers, where he answers so many that
// one is always a little like it.
const manyAnswered = 0.55

// leastAnswered is how near a question must be to one that the author answers.
func leastAnswered(m *measurement) float64 {
	if m.state.forms[len(m.features)-1].texts >= manyExamples {
		return manyAnswered
	}
	return answeredScore
}

// foreignVerdict is the verdict on a message in another language.
func (r *Reader) foreignVerdict(at *Place, m *measurement, code string) Verdict {
	return Verdict{
		Decision: personas.AsideName, Intent: personas.IntentOtherLanguage, Language: code, Confidence: 1,
		Answer: findAnswer(at, personas.IntentOtherLanguage),
		Why:    fmt.Sprintf("aside: written in another language (%s) than the persona's (%s)", code, m.state.language),
	}
}

func findAnswer(at *Place, intent personas.Intent) *personas.Answer {
	for _, a := range ListAnswers(at) {
		if a.Intent == intent {
			return a
		}
	}
	return nil
}

// AnswerFor returns what the author answers to an intent there: the state's answer
// before its machine's, and this before the persona's; nil for none.
func AnswerFor(at Place, intent personas.Intent) *personas.Answer { return findAnswer(&at, intent) }

// askAgain is the verdict on what would cost the player something and is not certain.
func askAgain(why string, probability float64) Verdict {
	return Verdict{Decision: personas.FollowUpName, Confidence: probability, Why: "follow_up: perhaps " + why}
}
