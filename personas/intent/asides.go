package intent

import (
	"fmt"
	"math"
	"slices"
	"strings"

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

// mostHelpWords is how many words a message has at most that does nothing but ask for help.
const mostHelpWords = 24

// asksForHelp reports whether a message does nothing but ask for help, in whichever of
// its sentences. "No idea" alone asks for nothing: it may be the answer to a question.
func (b *bank) asksForHelp(message string) bool {
	if len(strings.Fields(message)) > mostHelpWords {
		return false
	}
	asks := false
	for sentence := range strings.FieldsFuncSeq(message, func(r rune) bool { return strings.ContainsRune(".!?;:\n", r) }) {
		bare := b.dropPolite(sentence)
		switch {
		case bare == "":
		case isAnyIn(b.help, bare):
			asks = true
		default:
			return false
		}
	}
	return asks
}

// dropPolite returns a sentence, folded, without its courtesies.
func (b *bank) dropPolite(sentence string) string {
	return strings.Join(strings.Fields(b.polite.Replace(b.polite.Replace(" "+strings.Join(Words(sentence), " ")+" "))), " ")
}

// noteHelp makes the help intent of a message that asks for it in whatever words, or the choice
// that is about asking for help, where the author has written one.
func (m *measurement) noteHelp(b *bank, message string) {
	m.helpChoice = -1
	if !b.asksForHelp(message) {
		return
	}
	if m.helpChoice = m.state.helpChoice(); m.helpChoice >= 0 {
		return
	}
	m.asksHelp = true
	if m.intent.intent != personas.IntentGoal || m.intent.score < exactScore {
		m.intent.intent, m.intent.score, m.intent.covered = personas.IntentHelp, max(m.intent.score, exactScore), 1
	}
}

// helpWords are by which words an author speaks of somebody who asks for help.
const helpWords = "for help|needs help|need help|wants help|for advice|for a hint|for a clue|hint|hints|clue|clues|um hilfe|um rat|um einen hinweis|de l aide|demande conseil|un indice|pide ayuda|pide consejo|una pista|pede ajuda|pede conselho|uma dica|chiede aiuto|chiede consiglio|un indizio"

// helpChoice returns the choice of which an author's words tell of somebody who asks for help; -1
// for none.
func (p *preparedState) helpChoice() int {
	return slices.IndexFunc(p.choices, func(c choice) bool {
		return c.kind != aside && slices.ContainsFunc(c.criteria, func(text string) bool { return hasPhrase(clipText(text), helpWords) })
	})
}

// BeginsWithGreeting reports whether a message greets before it says something else.
func BeginsWithGreeting(message string) bool {
	words := strings.Fields(message)
	for _, w := range words {
		bare := bareWord(w)
		if !lists().Greeting[bare] {
			return false
		}
		if !lists().Filling[bare] {
			return true
		}
	}
	return false
}

// IsCourtesy reports whether a sentence greets or thanks and says nothing else.
func IsCourtesy(sentence string) bool {
	words := strings.Fields(sentence)
	other := slices.IndexFunc(words, func(w string) bool {
		bare := bareWord(w)
		return !lists().Greeting[bare] && !lists().Thanking[bare] && !lists().Titles[bare]
	})
	return len(words) > 0 && other < 0
}

// hasPhrase reports whether a text has one of the phrases as words.
func hasPhrase(text, phrases string) bool {
	words := " " + strings.Join(Words(text), " ") + " "
	for phrase := range strings.SplitSeq(phrases, "|") {
		if strings.Contains(words, " "+phrase+" ") {
			return true
		}
	}
	return false
}

// likelyTalk is the probability from which a message without a known kind of small talk looks
// like an aside by itself.
const likelyTalk = 0.2

var (
	// toldFact begins a statement that is put as a question: "did you know that".
	toldFact = plaintext.Pattern(`(?i)^(hey |so |and |but |oh |fun fact )*(did|do) (you|u|ya) know (that |how |the |a |an |\w+ (is|are|was|were|has|have|can)\b)`)
	// begunQuestion begins a question that needs no mark at its end.
	begunQuestion = plaintext.Pattern(`(?i)^(so |and |but |ok |wait |hey |oh |hm+ )*((is|are|am|was|were|do|does|did|don't|dont|can|could|will|would|have|has) (you|u|it|its|this|that|there|the|your|ur|they|he|she|we|i|people|any|everyone|everybody)\b|(got|you got|u got|ever) any\b|have you ever|any (good|chance|idea))`)
	askedOfYou    = plaintext.Pattern(`(?i)\b(you|u|your|ur|yours|yourself)\b`)
)

// SmallTalk returns which kind of small talk a message is: by its words, and in English, where
// that is asked for, by what it looks like if its words are of no kind that is known. Of
// several sentences the last question counts, since that is what wants an answer.
func (r *Reader) SmallTalk(message, language string, byLooks bool) Talk {
	whole := r.lexicon.Read(message)
	if attack := whole.Hostility(language); attack != NoTalk {
		return attack
	}
	asked := lastQuestion(message, language)
	if language == "en" && TellsRiddle(message) {
		return JokeTold
	}
	if asked == "" {
		return r.talkOfSentence(whole, message, language, byLooks)
	}
	talk := r.talkOfSentence(r.lexicon.Read(asked), asked, language, byLooks)
	if talk != NoTalk || len(asked) >= len(strings.TrimSpace(message)) {
		return talk
	}
	if talk = r.talkOfSentence(whole, message, language, byLooks); toldTalk[talk] {
		return NoTalk
	}
	return talk
}

// talkOfSentence is SmallTalk of a message, as it was read, whose sentences are not told apart.
func (r *Reader) talkOfSentence(read *Reading, message, language string, byLooks bool) Talk {
	if language == "en" && toldFact().MatchString(message) {
		return Remark
	}
	talk := read.SmallTalk(language)
	asksOther := toldTalk[talk] && openQuestion().MatchString(message) || talk == Nonsense && (openQuestion().MatchString(message) || begunQuestion().MatchString(message))
	switch {
	case language != "en" || talk != NoTalk && !asksOther:
		return talk
	case !byLooks:
		return NoTalk
	}
	return r.talkByLooks(read, message, asksOther)
}

// talkByLooks returns the kind of small talk that an English message looks like; asks is set
// for a message that is surely a question.
func (r *Reader) talkByLooks(read *Reading, message string, asks bool) Talk {
	known := r.kinds.profileMessage(read)
	asks = asks || known.acts.Question || known.told || begunQuestion().MatchString(message)
	switch {
	case asks && askedOfYou().MatchString(message):
		return AskPersonal
	case asks:
		return AskWorld
	case math.Exp(known.kinds[aside]) < likelyTalk:
		return NoTalk
	case readForm(message, read).marks&(1<<markMine) != 0:
		return AboutPlayer
	}
	return Remark
}

// toldTalk are kinds that tell something: beside a question they are not what is answered.
var toldTalk = map[Talk]bool{
	AboutPlayer: true, Weariness: true, BadNews: true, GoodNews: true, Apology: true, Complaint: true, Remark: true,
}

// openQuestion is how a question begins that the words behind it do not change.
var openQuestion = plaintext.Pattern(`(?i)^(?:(?:so|and|but|ok|okay|wait|hey|oh|hm+|um|uh|er|well|hi|hello)[, ]+)*(?:what(?:'s|s)?|why|who(?:'s|s)?|where|when|how|which|whose|do|does|did|have you|is it|is this|is that|are you)\b`)

// courtesies are what is before a question and is not what is asked.
var courtesies = plaintext.Pattern(`(?i)^(?:(?:i am|i'm|im|so|very|really|oh|ah|ok|okay|wait|hey|hi|hello|well|um+|uh|er|haha|lol|sorry|excuse me|pardon|pardon me|forgive me|please|apologies)\b[,.!:; ]*)+`)

// unmarked is a question behind something else that has no mark: "hi im 8 whats your name".
var unmarked = plaintext.Pattern(`(?i)\b(?:(?:do|did|are|can|could|will|have|were) (?:you|u)|what(?:'s|s| is) your|am i) .*$`)

// lastQuestion is the last sentence of a message that ends with a question mark, without the
// courtesies before it; "" where none does, and the message itself where nothing else is asked.
// An English question needs no mark.
func lastQuestion(message, language string) string {
	end := strings.LastIndexAny(message, "?？")
	switch {
	case end < 0 && language == "en":
		return unmarked().FindString(message)
	case end < 0:
		return ""
	}
	text := strings.TrimRight(message[:end], "?？! ")
	start := 1 + strings.LastIndexAny(text, ".!?？\n…")
	asked := strings.TrimSpace(text[start:])
	if bare := asked[len(courtesies().FindString(asked)):]; bare != "" {
		asked = bare
	}
	if asked == "" {
		return message
	}
	return asked + "?"
}
