package offline

import (
	"fmt"
	"math"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/plaintext"
)

// bareTalk are the kinds of small talk that say nothing by themselves: "ok" and "lol" mean
// what an example means that is such a word itself, and nothing else.
var bareTalk = map[nlu.Talk]bool{
	nlu.Agreement: true, nlu.Laughter: true, nlu.Pondering: true, nlu.Wonder: true, nlu.SoundCheck: true, nlu.Silence: true, nlu.SmallGesture: true, nlu.Puzzlement: true, nlu.Nonsense: true,
}

// idleTalk are the kinds that are no attempt where no example comes near them.
var idleTalk = map[nlu.Talk]bool{
	nlu.AskAge: true, nlu.AskFamily: true, nlu.AskOrigin: true, nlu.AskTaste: true, nlu.AskDay: true, nlu.AskFeeling: true, nlu.AskFact: true, nlu.AskSenses: true, nlu.AskTime: true,
	nlu.Compliment: true, nlu.Weather: true, nlu.JokeTold: true, nlu.JokeQuestion: true, nlu.KnockKnock: true, nlu.Swearing: true, nlu.Wish: true, nlu.Sympathy: true, nlu.AskWhy: true,
	nlu.AskGame: true, nlu.AskSince: true,
}

// passableTalk are the kinds that open no door by themselves: they pass where an example is
// near, or is of their kind, since flattery or a sad story may be just what is asked.
var passableTalk = map[nlu.Talk]bool{
	nlu.BadNews: true, nlu.GoodNews: true, nlu.Compliment: true, nlu.Weather: true, nlu.JokeTold: true, nlu.JokeQuestion: true, nlu.KnockKnock: true, nlu.Swearing: true,
	nlu.AskAge: true, nlu.AskFamily: true, nlu.AskOrigin: true, nlu.AskTaste: true, nlu.AskDay: true, nlu.AskFeeling: true, nlu.AskTime: true, nlu.AskPersonal: true,
}

// maxIdleWords is how many words of substance small talk has at most: whether what
// says more is an attempt, the weights judge.
const maxIdleWords = 4

// passingScore is how near an example must be for such talk to pass.
const passingScore = 0.6

// leastTalk is how probable a decision must be that is taken of small talk: what ends or
// opens something never is, and a kick_out only beyond doubt.
var leastTalk = [kindCount]float64{pass: certain, redirect: 0.6, reject: certain, kickOut: 0.93, followUp: certain, aside: certain}

// certain is more than any probability.
const certain = 2

// isIdleTalk reports whether a message is small talk or asks for help, and choice k, which is so
// probable, is not about that.
func (r *Reader) isIdleTalk(m *measurement, k int, probability float64) bool {
	c := &m.state.choices[k]
	if (m.asksHelp || m.talk == nlu.AskGame) && c.kind != aside {
		return m.nearest[k] < 0 || m.features[k][fBest] < fairlySaid || m.asksHelp && IsCourtesy(m.state.examples.texts[m.nearest[k]])
	}
	if m.hostile != nlu.NoTalk && c.kind == pass {
		return m.features[k][fBest] < nearExample
	}
	// Who only asks "what?" has not attempted anything, however the state reads it.
	asksWhat := m.talk == nlu.Puzzlement && c.kind == redirect
	if probability >= leastTalk[c.kind] && !asksWhat || c.kind == aside || m.message.acts.Violence+m.message.acts.Insult+m.message.acts.Theft > 0 || m.message.acts.Words > maxIdleWords && c.kind != reject && c.kind != kickOut {
		return false
	}
	talk := m.talk
	near := m.nearest[k]
	switch {
	case bareTalk[talk]:
		return near < 0 || m.features[k][fBest] < answeredScore || c.kind != pass && !bareTalk[r.lexicon.SmallTalk(m.state.examples.texts[near], m.state.language)]
	case passableTalk[talk] && c.kind == pass && len(m.state.examples.texts) > 0:
		return near < 0 || m.features[k][fBest] < passingScore && r.lexicon.SmallTalk(m.state.examples.texts[near], m.state.language) != talk
	case idleTalk[talk] && c.kind != pass:
		return near < 0 || m.features[k][fBest] < answeredScore
	}
	return false
}

// idleVerdict is the verdict on small talk: what the author answers to it, else an aside
// without an answer.
func (r *Reader) idleVerdict(at *Place, m *measurement) Verdict {
	v := r.asideVerdict(at, m, 1)
	if v.Intent == "" && v.Answer == nil {
		v.Why = fmt.Sprintf("%s: small talk that nothing of the state is about", personas.AsideName)
	}
	return v
}

// idleTalkClasses are what small talk looks like, and attemptClasses what a try does that may be asked for.
var (
	idleTalkClasses = [...]int{
		classOf("sharing"), classOf("smalltalk"), classOf("banter"), classOf("about_character"), classOf("about_world"), classOf("not_violent"), classOf("intent small_talk"),
	}
	attemptClasses = [...]int{
		classOf("offer"), classOf("request"), classOf("promise"), classOf("agree"), classOf("deed"), classOf("bribe"), classOf("apology"), classOf("hedge"),
	}
)

// likelyTalk is how probable small talk must be by the message alone, and likelyAttempt how
// probable a try that is no small talk, though it is put as a question.
const likelyTalk, likelyAttempt = 0.45, 0.4

// toldFact is how somebody begins who tells a thing rather than asks, begunQuestion how a
// question begins that ends without a mark, askedOfYou what one about the character has, and
// praise what somebody says who likes what he sees, praisesOwn what who praises his own things.
var (
	praisesOwn    = plaintext.Pattern(`(?i)\b(my|mine|our|for (you|u|ya)|kind of)\b`)
	praise        = plaintext.Pattern(`(?i)\b((so|very|really|such an?|what an?|that is an?|thats?( an?)?|that's( an?)?|is|are|how) (splendid|fine|elegant|impressive|fantastic|charming|nice|lovely|pretty|beautiful|cute|cool|great|sweet|awesome|amazing|magnificent|gorgeous|adorable|wonderful|cosy|cozy)|(like|love) (your|ur|the|this|that)|^(nice|lovely|pretty|cute|cool|great|beautiful|amazing) \w+|^your \w+ (is|are|looks?) (so|very) \w+)\b`)
	toldFact      = plaintext.Pattern(`(?i)^(hey |so |and |but |oh |fun fact )*(did|do) (you|u|ya) know (that |how |the |a |an |\w+ (is|are|was|were|has|have|can)\b)`)
	begunQuestion = plaintext.Pattern(`(?i)^(so |and |but |ok |wait |hey |oh |hm+ )*((is|are|am|was|were|do|does|did|don't|dont|can|could|will|would|have|has) (you|u|it|its|this|that|there|the|your|ur|they|he|she|we|i|people|any|everyone|everybody)\b|(got|you got|u got|ever) any\b|have you ever|any (good|chance|idea))`)
	askedOfYou    = plaintext.Pattern(`(?i)\b(you|u|your|ur|yours|yourself)\b`)
)

// SmallTalk says which kind of small talk a message is: by its words, and in English, where
// that is asked for, by what it looks like if its words are of no kind that is known. Of
// several sentences the last question counts, since that is what wants an answer.
func (r *Reader) SmallTalk(message, language string, byLooks bool) nlu.Talk {
	whole := r.lexicon.Read(message)
	if attack := whole.Hostility(language); attack != nlu.NoTalk {
		return attack
	}
	asked := lastQuestion(message, language)
	if language == "en" && nlu.TellsRiddle(message) {
		return nlu.JokeTold
	}
	if asked == "" {
		return r.talkOfSentence(whole, message, language, byLooks)
	}
	talk := r.talkOfSentence(r.lexicon.Read(asked), asked, language, byLooks)
	if talk != nlu.NoTalk || len(asked) >= len(strings.TrimSpace(message)) {
		return talk
	}
	if talk = r.talkOfSentence(whole, message, language, byLooks); toldTalk[talk] {
		return nlu.NoTalk
	}
	return talk
}

// talkOfSentence is SmallTalk of a message, as it was read, whose sentences are not told apart.
func (r *Reader) talkOfSentence(read *nlu.Reading, message, language string, byLooks bool) nlu.Talk {
	if language == "en" && toldFact().MatchString(message) {
		return nlu.Remark
	}
	talk := read.SmallTalk(language)
	asksOther := toldTalk[talk] && openQuestion().MatchString(message) || talk == nlu.Nonsense && (openQuestion().MatchString(message) || begunQuestion().MatchString(message))
	switch {
	case language != "en" || talk != nlu.NoTalk && !asksOther:
		return talk
	case !byLooks:
		return nlu.NoTalk
	}
	return r.talkByLooks(read, message, asksOther)
}

// talkByLooks says of an English message which kind of small talk it looks like; asks tells
// that it is surely a question.
func (r *Reader) talkByLooks(read *nlu.Reading, message string, asks bool) nlu.Talk {
	known := r.classifiers.classifyText(read)
	switch a := &known.acts; {
	case asks || a.Question || a.Asks || begunQuestion().MatchString(message):
		return questionTalk(&known, message)
	case known.sumClasses(idleTalkClasses[:]) < likelyTalk:
		return nlu.NoTalk
	case praise().MatchString(message) && !known.acts.Negated && !praisesOwn().MatchString(message):
		return nlu.Compliment
	case readForm(message, read).marks&(1<<markMine) != 0:
		return nlu.AboutPlayer
	}
	return nlu.Remark
}

// toldTalk are kinds that tell something: beside a question they are not what is answered.
var toldTalk = map[nlu.Talk]bool{
	nlu.AboutPlayer: true, nlu.Weariness: true, nlu.BadNews: true, nlu.GoodNews: true, nlu.Apology: true, nlu.Complaint: true, nlu.Remark: true,
}

// openQuestion is how a question begins that the words behind it do not change.
var openQuestion = plaintext.Pattern(`(?i)^(?:(?:so|and|but|ok|okay|wait|hey|oh|hm+|um|uh|er|well|hi|hello)[, ]+)*(?:what(?:'s|s)?|why|who(?:'s|s)?|where|when|how|which|whose|do|does|did|have you|is it|is this|is that|are you)\b`)

// courtesies are what stands before a question and is not what is asked.
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

// questionTalk says which kind of small talk a question is.
func questionTalk(of *profile, message string) nlu.Talk {
	switch {
	case of.sumClasses(attemptClasses[:]) >= likelyAttempt && !openQuestion().MatchString(message):
		return nlu.NoTalk
	case of.acts.AboutYou || askedOfYou().MatchString(message):
		return nlu.AskPersonal
	}
	return nlu.AskWorld
}

// sumClasses returns how probable any of some manner classes is.
func (p *profile) sumClasses(classes []int) float64 {
	sum := 0.0
	for _, class := range classes {
		sum += math.Exp(p.manner[class])
	}
	return sum
}
