package offline

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
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
	if i := m.nearest[last]; i >= 0 && (m.talk != nlu.JokeTold || m.features[last][fCriterion] >= exactScore) && m.features[last][fCriterion] >= leastAnswered(m) && m.features[last][fCriterion] >= m.intent.score-0.1 {
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

// How probable a decision must be that costs the player something, else the character asks
// once (docs/decisions/offline.md, asks-back).
const (
	// leastAskedRedirect is how probable a redirect must be of who only asks to be told
	// something: players are told that questions cost nothing.
	leastAskedRedirect = 0.6
	// leastAskedWhat is that of a question with what, why or another such word, whose nearest
	// example is none.
	leastAskedWhat = 0.97
	// leastSoftNo is how probable a rejection must be of who only declines: "no idea",
	// "rather not"; leastReject of anybody else, since half of those below it are wrong.
	leastSoftNo, leastReject = 0.7, 0.5
	// leastNearReject is that of what is near an example of a rejection, in English: how
	// probable it is in other languages tells less than the example.
	leastNearReject = 0.4
	// leastMiss is how probable a redirect must be that uses the last try up.
	leastMiss = 0.7
)

// refusalClasses are what who refuses or leaves does, and plainRefusal how probable that must be.
var refusalClasses = [...]int{classOf("refuse"), classOf("leave"), classOf("intent goodbye")}

const plainRefusal = 0.5

// isSoftNo reports whether a rejection is but a no in passing, or doubtful: the character
// asks once before it ends anything.
func (m *measurement) isSoftNo(k int, probability float64) bool {
	f := &m.features[k]
	if m.state.choices[k].kind != reject || m.message.acts.GivesUp > surelyGivesUp {
		return false
	}
	if f[fBest] >= nearExample {
		return probability < leastNearReject && m.state.language == "en"
	}
	return probability < leastReject || m.message.acts.Declined >= 1 && probability < leastSoftNo || m.isHonestNo(f) || m.talk == nlu.Disagreement && m.fields <= bareNoWords
}

// bareNoWords is how many words a no has at most that may be said to anything: it ends nothing
// before it is said twice, unless an example says it.
const bareNoWords = 2

// leastFarQuestion is how probable a redirect must be of a message that asks something and is near to
// no example, and likelyFarAside how probable the aside must be that it is taken for: "A saucer of
// cream, perhaps?" is an offer.
const leastFarQuestion, likelyFarAside = 0.8, 0.2

// honestNo is how somebody begins who has not what is asked, or is not who he is taken for.
var honestNo = plaintext.Pattern(`(?i)\b(I|we) (have no|got no|had no|(don't|dont|do not) have|(haven't|havent|have not)( got)?|never had) (a|an|any|the|my|\w+s)\b|\b(I would|I'd|Id) never\b|\b(I'm|im|I am|it's|its|it is|that's|thats|that is|he's|she's) not (a|an|the|my|your)\b`)

// isHonestNo reports whether a rejection is like no example of one and only says that something is
// not so, as "I don't have any papers".
func (m *measurement) isHonestNo(f *features) bool {
	return honestNo().MatchString(m.text) && len(m.state.examples.texts) > 0 && f[fBest] < supported && m.message.sumClasses(refusalClasses[:]) < plainRefusal
}

// offering is what a question has that offers or asks for a thing.
var offering = plaintext.Pattern(`(?i)\b(want|like|take|accept|need|have|give|let|open|show|help|tell|mind|trade|sell|buy|pay|i|my|me|we)\b`)

// maxQuestionWords is how many words a mere question has at most.
const maxQuestionWords = 12

// asksOnly reports whether a message only asks to be told something.
func (m *measurement) asksOnly() bool {
	if form, known := askedToBeTold[m.state.language]; known {
		return m.fields <= maxQuestionWords && form.matches(m.text)
	}
	return m.message.acts.Asks || m.fields <= maxQuestionWords && begunQuestion().MatchString(m.text) && !offering().MatchString(m.text)
}

// questionForm is how a folded question is made that only asks to be told something: one with a
// mark, and one that needs none; nil where no words tell it.
type questionForm struct{ marked, unmarked func() *regexp.Regexp }

func (f *questionForm) matches(text string) bool {
	folded := nlu.Fold(text)
	return strings.Contains(text, "?") && f.marked().MatchString(folded) || f.unmarked != nil && f.unmarked().MatchString(folded)
}

// askedToBeTold are these forms by language.
var askedToBeTold = map[string]questionForm{
	"fr": {
		marked:   plaintext.Pattern(`^(?:(?:et|mais|euh|hm+|ah|oh|alors|pardon|excusez-moi)[, ]+)*(?:qu'?est[- ]ce|c'?est (?:quoi|qui|bon|comment)|c quoi|pourquoi|comment|combien de|quel|laquelle|lequel|qui\b|quand|ou est|il y a quoi|vous avez quoi|est[- ]ce (?:que |qu')(?:la|le|les|l'|c'est|il|elle|ca)\b|.*\b\w+-(?:t-)?(?:il|elle|ils|elles)\b|.*\b(?:(?:il|elle|ca) (?:y )?(?:a|est|contient|vient|coute)|(?:ils|elles) (?:ont|sont)|c'?est (?:avec|sans|fait|pour|du|de la|a la)|dedans|dessus)\b)`),
		unmarked: plaintext.Pattern(`\b(?:c'?est|c) (?:quoi|koi|qui|ou)\b|\bqu'?est[- ]ce (?:que? |qui |qu')|\b(?:de|a|en|avec) quoi\b|\bpourquoi\b|\bcomment (?:on|ca|dit)\b`),
	},
	"de": {marked: plaintext.Pattern(`^(?:(?:und|aber|also|hm+|ah|oh|entschuldigung)[, ]+)*(?:was (?:ist|sind|war|heisst|bedeutet)|warum|wieso|weshalb|wie (?:viel|lange|alt|kommt|heisst|ist)|wer\b|wo\b|wann|welche)`)},
	"es": {marked: plaintext.Pattern(`^[¿ ]*(?:(?:y|pero|eh|hm+|ah|oh|perdon)[, ]+)*[¿ ]*(?:que (?:es|son|significa|hay)|por que|como|cuanto|cual|quien|cuando|donde)`)},
	"pt": {marked: plaintext.Pattern(`^(?:(?:e|mas|eh|hm+|ah|oh|desculpe)[, ]+)*(?:(?:o )?que (?:e|sao|significa|ha)\b|por que|como|quanto|qual|quem|quando|onde)`)},
	"it": {marked: plaintext.Pattern(`^(?:(?:e|ma|eh|hm+|ah|oh|scusi)[, ]+)*(?:(?:che )?cosa (?:e|sono|significa|c'e)|cos'e|perche|come|quanto|quale|chi\b|quando|dove)`)},
}

// isBareQuestion reports whether a redirect only asks to be told something, and is like no
// example of a redirect, or at least as near to a question that the author answers.
func (m *measurement) isBareQuestion(k int, probability, asideProbability float64) bool {
	if m.state.choices[k].kind != redirect {
		return false
	}
	if asksWhat(m.text, m.fields) && !m.isNearQuestion(k) && probability < leastAskedWhat {
		return true
	}
	near, answered := m.features[k][fBest], m.features[len(m.features)-1][fCriterion]
	if strings.Contains(m.text, "?") && near < supported && probability < leastFarQuestion && asideProbability >= likelyFarAside {
		return true
	}
	return m.asksOnly() && (near < nearExample && probability < leastAskedRedirect || answered >= nearByItself && answered >= near)
}

// askedWhat is how a question begins and ends whose answer is told, and suggested what one has
// that offers something or asks for it.
var (
	askedWhat = plaintext.Pattern(`(?i)^(?:(?:so|and|but|ok|okay|wait|hey|oh|hm+|um|uh|er|well|sorry|excuse me|hi|hello)[, ]+)*(?:what(?:'s|s|'re)?|why|who(?:'s|s)?|where(?:'s|s)?|when|how|which|whose)\b[^.!?;]*\??$`)
	suggested = plaintext.Pattern(`(?i)\b(?:what if|what about|how about|how's this|how is this|why not|why don'?t we|would you say|does .* sound)\b`)
)

// asksWhat reports whether a text of so many words is one short question with a word such as
// what or why, whoever it is about.
func asksWhat(text string, words int) bool {
	return words <= maxQuestionWords && askedWhat().MatchString(text) && !suggested().MatchString(text)
}

// isNearQuestion reports whether the nearest example of a choice is near, and a question itself:
// "What is that book about?" has words of "I need that book" and asks for nothing.
func (m *measurement) isNearQuestion(k int) bool {
	i := m.nearest[k]
	return i >= 0 && m.features[k][fBest] >= nearExample && strings.Contains(m.state.examples.texts[i], "?")
}

// isDoubtfulMiss reports whether a redirect may be something else: with the last try it would
// end what a clearer word may yet win.
func (m *measurement) isDoubtfulMiss(k int, probability float64) bool {
	return m.state.choices[k].kind == redirect && probability < leastMiss && m.features[k][fBest] < nearExample
}

func askAgain(decision string, probability float64) Verdict {
	v := Verdict{Decision: personas.FollowUpName, Confidence: probability}
	v.Why = fmt.Sprintf("follow_up: perhaps %s (%.2f), which is not certain enough", decision, probability)
	return v
}

// echoForm is how people ask back about one word that was said to them: "what papers?", "which
// book do you mean?". The words are folded.
var echoForm = plaintext.Pattern(`^(?:(?:uh|um|huh|wait|sorry|er|oh|hm|but|and|et|und|aber|y|pero|e|ma|mas) )*` +
	`(?:what|which|whose|quels?|quelles?|welche[rsnm]?|was fur(?: eine?n?)?|que|cual|cuales|che|quale|quali|qual|quais)` +
	`(?: (?:kind|sort|type) of)? (\p{L}+)(?: (?:do you mean|is it|is that|are they|are those|exactly|now|then))?$`)

// isEcho reports whether a message only asks back about a thing that the state's texts name,
// and asking after it is nothing that passes.
func (m *measurement) isEcho(at *Place) bool {
	found := echoForm().FindStringSubmatch(strings.Join(foldedWords(m.text), " "))
	if found == nil || m.features[len(m.features)-1][fCriterion] >= answeredScore {
		return false
	}
	p := m.state
	for i, text := range p.examples.texts {
		if p.choices[p.examples.choices[i]].kind == pass && strings.Contains(text, "?") && slices.Contains(foldedWords(text), found[1]) {
			return false
		}
	}
	return slices.ContainsFunc(slices.Concat(p.examples.texts, p.criteria.texts, spokenTexts(at.State)), func(text string) bool { return namesThing(text, found[1]) })
}

// spokenTexts are the lines with which a state begins, and which it goes on with.
func spokenTexts(s *personas.State) []string {
	if s.Offline == nil {
		return nil
	}
	return slices.Concat(s.Offline.Opening, s.Offline.Lines.Redirect, s.Offline.Lines.Unknown)
}

// thingMarks are the words behind which a thing is named.
const thingMarks = " a an the my your his her our their some any these those no un une des le la les mes mon ma der die das den ein eine einen meine mein keine el los las unos mi mis il lo gli i uno una o os as um uma meu minha "

// namesThing reports whether a text names a thing by a word, behind an article or the like.
func namesThing(text, thing string) bool {
	words := foldedWords(text)
	for i := 1; i < len(words); i++ {
		if words[i] == thing && strings.Contains(thingMarks, " "+words[i-1]+" ") {
			return true
		}
	}
	return false
}
