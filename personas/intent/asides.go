package intent

import (
	"fmt"
	"regexp"
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
	return other <= 1 || other == 2 && BeginsWithGreeting(m.text)
}

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
	i, asked := m.nearest[last], m.features[last][fCriterion]
	switch {
	case i >= 0 && asked >= answeredScore && asked >= m.intent.score-0.1:
		v.Answer = m.state.sources[i].answer
		v.Why = fmt.Sprintf("aside %.2f: asked like %s (%.2f)", probability, m.quoteNearest(last), asked)
	case m.hasIntent():
		v.Intent = m.intent.intent
		v.Answer = AnswerFor(*at, v.Intent)
		v.Why = fmt.Sprintf("aside %.2f: %s, like %q (%.2f)", probability, v.Intent, m.intent.line, m.intent.score)
	default:
		v.Why = fmt.Sprintf("aside %.2f: %s", probability, m.describeNearest("nearest example"))
	}
	return v
}

func (m *measurement) quoteNearest(k int) string {
	return fmt.Sprintf("%q", plaintext.ClipWithin(m.state.examples.texts[m.nearest[k]], 80))
}

// describeNearest returns a text for the trace about the nearest example of all choices.
func (m *measurement) describeNearest(title string) string {
	best := -1
	for k, i := range m.nearest {
		if i >= 0 && m.features[k][fBest] > 0 && (best < 0 || m.features[k][fBest] > m.features[best][fBest]) {
			best = k
		}
	}
	if best < 0 {
		return "no example is similar"
	}
	return fmt.Sprintf("%s %s, %s (%.2f)", title, m.state.choices[best].decision, m.quoteNearest(best), m.features[best][fBest])
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

const maxHelpWords = 24

// asksForHelp reports whether each sentence of a message is a request for help or a courtesy. "No
// idea" alone is not a request, because it may answer a question.
func (b *bank) asksForHelp(message string) bool {
	if len(strings.Fields(message)) > maxHelpWords {
		return false
	}
	asks := false
	for sentence := range strings.FieldsFuncSeq(message, func(r rune) bool { return strings.ContainsRune(".!?;:\n", r) }) {
		bare := strings.Join(strings.Fields(b.polite.Replace(b.polite.Replace(joinWords(Words(sentence))))), " ")
		if bare != "" && !slices.ContainsFunc(b.help, func(p *regexp.Regexp) bool { return p.MatchString(bare) }) {
			return false
		}
		asks = asks || bare != ""
	}
	return asks
}

func (m *measurement) noteHelp(b *bank) {
	m.helpChoice = -1
	if !b.asksForHelp(m.text) {
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

// helpWords recognizes criteria about requests for help. With such a criterion, a request is more
// than small talk.
var helpWords = plaintext.Pattern(`\b(?:for help|(?:needs?|wants) help|for advice|hints?|clues?|um (?:hilfe|rat|einen hinweis)|de l'aide|demande conseil|un indice|` +
	`p[ei]de (?:ayuda|consejo|ajuda|conselho)|una pista|uma dica|chiede (?:aiuto|consiglio)|un indizio)\b`)

func (p *preparedState) helpChoice() int {
	return slices.IndexFunc(p.choices, func(c choice) bool {
		return c.kind != aside && slices.ContainsFunc(c.criteria, func(text string) bool { return helpWords().MatchString(Fold(clipText(text))) })
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

func bareWord(word string) string { return strings.Trim(strings.ToLower(word), ".,;:!-~") }
