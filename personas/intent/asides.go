package intent

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// fairlySaid is the similarity from which a message needs only some words of an intent's line.
const fairlySaid = 0.7

func (m *measurement) hasIntent() bool {
	if m.asksHelp {
		return true
	}
	if m.intent.intent == smallTalk || m.intent.score < answeredScore || m.intent.score <= m.maxBest {
		return false
	}
	if m.intent.intent == personas.IntentGreeting && !m.isOnlyGreeting() {
		return false
	}
	half := m.state.language == "en" && m.intent.covered > 0 && m.intent.covered < exactScore
	return m.intent.score >= fairlySaid || !half && !m.sharesFewWords()
}

// isOnlyGreeting excludes messages that only contain a word of a greeting, such as "I found her
// this morning".
func (m *measurement) isOnlyGreeting() bool {
	line, other := Words(m.intent.line), 0
	for _, word := range Words(m.text) {
		if l := lists(); !l.Greeting[word] && !l.Titles[word] && !l.Thanking[word] && !slices.Contains(line, word) {
			other++
		}
	}
	return other <= maxOtherWords || other == maxOtherWords+1 && BeginsWithGreeting(m.text)
}

const maxOtherWords = 1

// minSharedWords excludes "please" from the intent of "once more please".
const minSharedWords = 0.6

func (m *measurement) sharesFewWords() bool {
	line, said, shared := Words(m.intent.line), Words(m.text), 0
	for _, word := range line {
		if slices.Contains(said, word) {
			shared++
		}
	}
	return float64(shared) < minSharedWords*float64(len(line))
}

// asideVerdict returns an aside with the author's answer to a similar question. Without a similar
// question it returns the built-in intent of the message and the author's answer to this intent.
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
		v.Answer = AnswerFor(*at, v.Intent)
		v.Why = fmt.Sprintf("aside %.2f: %s, like %q (%.2f)", probability, v.Intent, m.intent.line, m.intent.score)
		return v
	}
	v.Why = fmt.Sprintf("aside %.2f: %s", probability, m.nearestWords())
	return v
}

func (m *measurement) nearestWords() string {
	best := m.nearestChoice(kindCount)
	if best < 0 {
		return "no example is similar"
	}
	return fmt.Sprintf("nearest example %s, %q (%.2f)", m.state.choices[best].decision,
		plaintext.ClipWithin(m.state.examples.texts[m.nearest[best]], 80), m.features[best][fBest])
}

// manyAnswered replaces answeredScore in a state with many questions, because one of them is always
// somewhat similar.
const manyAnswered = 0.55

func leastAnswered(m *measurement) float64 {
	if m.state.counts[len(m.features)-1] >= manyExamples {
		return manyAnswered
	}
	return answeredScore
}

// AnswerFor returns the author's answer to an intent at a place, or nil. The state's answer takes
// precedence over the machine's, and the machine's over the persona's.
func AnswerFor(at Place, intent personas.Intent) *personas.Answer {
	for _, a := range listAnswers(&at) {
		if a.Intent == intent {
			return a
		}
	}
	return nil
}

func askAgain(why string, probability float64) Verdict {
	return Verdict{Decision: personas.FollowUpName, Confidence: probability, Why: "follow_up: perhaps " + why}
}

const maxHelpWords = 24

// asksForHelp reports whether each sentence of a message is a request for help or a courtesy. "No
// idea" alone is not a request, because it may answer a question.
func (b *bank) asksForHelp(message string) bool {
	if len(strings.Fields(message)) > maxHelpWords {
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

func (b *bank) dropPolite(sentence string) string {
	return strings.Join(strings.Fields(b.polite.Replace(b.polite.Replace(" "+strings.Join(Words(sentence), " ")+" "))), " ")
}

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

const helpWords = "for help|needs help|need help|wants help|for advice|for a hint|for a clue|hint|hints|clue|clues|um hilfe|um rat|um einen hinweis|de l aide|demande conseil|un indice|pide ayuda|pide consejo|una pista|pede ajuda|pede conselho|uma dica|chiede aiuto|chiede consiglio|un indizio"

func (p *preparedState) helpChoice() int {
	return slices.IndexFunc(p.choices, func(c choice) bool {
		return c.kind != aside && slices.ContainsFunc(c.criteria, func(text string) bool { return hasPhrase(clipText(text), helpWords) })
	})
}

// BeginsWithGreeting reports whether a message begins with a greeting.
func BeginsWithGreeting(message string) bool {
	for _, w := range strings.Fields(message) {
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

// IsCourtesy reports whether a sentence consists only of a greeting or thanks.
func IsCourtesy(sentence string) bool {
	words := strings.Fields(sentence)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
		bare := bareWord(w)
		return !lists().Greeting[bare] && !lists().Thanking[bare] && !lists().Titles[bare]
	})
}

func hasPhrase(text, phrases string) bool {
	words := " " + strings.Join(Words(text), " ") + " "
	for phrase := range strings.SplitSeq(phrases, "|") {
		if strings.Contains(words, " "+phrase+" ") {
			return true
		}
	}
	return false
}

// likelyTalk is the minimum probability of an aside for small talk that no rule recognizes.
const likelyTalk = 0.2

// SmallTalk returns the kind of small talk of a message by rules. It asks the classifier if no rule
// matches, byLooks is set and the language is English. If a message has several sentences, the last
// question decides, because it requires an answer.
func (r *Reader) SmallTalk(message, language string, byLooks bool) Talk {
	read := r.lexicon.Read(message)
	if attack := read.hostility(language); attack != NoTalk {
		return attack
	}
	asked := lastQuestion(message)
	if asked != "" && (language != "en" || !tellsRiddle(message)) {
		read = r.lexicon.Read(asked)
	}
	talk := read.SmallTalk(language)
	asks := asked != "" && (toldTalk[talk] || talk == Nonsense)
	if talk != NoTalk && !asks || language != "en" || !byLooks {
		return talk
	}
	known := r.kinds.profileMessage(read)
	switch {
	case known.acts.AboutYou:
		return AskPersonal
	case known.acts.Question || known.told:
		return AskWorld
	case math.Exp(known.kinds[aside]) < likelyTalk:
		return NoTalk
	case read.speaksOfSelf():
		return AboutPlayer
	}
	return Remark
}

var toldTalk = map[Talk]bool{
	AboutPlayer: true, Weariness: true, BadNews: true, GoodNews: true, Apology: true, Complaint: true, Remark: true,
}

func lastQuestion(message string) string {
	end := strings.LastIndexAny(message, "?？")
	if end < 0 {
		return ""
	}
	text := strings.TrimRight(message[:end], "?？! ")
	if text = strings.TrimSpace(text[1+strings.LastIndexAny(text, ".!?？\n…"):]); text == "" {
		return ""
	}
	return text + "?"
}
