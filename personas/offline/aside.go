package offline

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// likelyIntent is how probable an intent must be by the English message alone: "something"
// is not "say something funny".
// What has all words of substance of a line, if any, and a likeness of fairlySaid, is that
// line.
const likelyIntent, fairlySaid = 0.12, 0.7

// hasIntent reports whether a message surely has a built-in intent.
func (m *measurement) hasIntent() bool {
	if m.intent.intent == smallTalk || m.intent.score < answeredScore {
		return false
	}
	half := m.intent.covered > 0 && m.intent.covered < exactScore
	said := m.intent.score >= fairlySaid && !half || m.intent.score >= exactScore
	return said || m.state.language != "en" || m.intent.looks >= likelyIntent
}

// asideVerdict says which of the author's answers fits, else which intent, else
// that the words were not understood. The state's answers go before its
// machine's and these before the persona's.
func (r *Reader) asideVerdict(at *Place, m *measurement, probability float64) Verdict {
	v := Verdict{Decision: personas.AsideName, Confidence: probability}
	last := len(m.features) - 1
	if i := m.nearest[last]; i >= 0 && m.features[last][fCriterion] >= answeredScore && m.features[last][fCriterion] >= m.intent.score-0.1 {
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
	if m.courtesy != "" {
		v.Intent, v.Answer = m.courtesy, findAnswer(at, m.courtesy)
		v.Why = fmt.Sprintf("aside %.2f: %s, before words that the author did not foresee", probability, m.courtesy)
		return v
	}
	v.Why = fmt.Sprintf("aside %.2f: nothing that the author foresaw", probability)
	return v
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
