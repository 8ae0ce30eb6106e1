package offline

import (
	"math"
	"strings"

	"github.com/parley-npc/parley/personas/nlu"
	"github.com/parley-npc/parley/personas/plaintext"
)

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

// talkByLooks returns the kind of small talk that an English message looks like; asks is set
// for a message that is surely a question.
func (r *Reader) talkByLooks(read *nlu.Reading, message string, asks bool) nlu.Talk {
	known := r.kinds.profileMessage(read)
	asks = asks || known.acts.Question || known.told || begunQuestion().MatchString(message)
	switch {
	case asks && askedOfYou().MatchString(message):
		return nlu.AskPersonal
	case asks:
		return nlu.AskWorld
	case math.Exp(known.kinds[aside]) < likelyTalk:
		return nlu.NoTalk
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
