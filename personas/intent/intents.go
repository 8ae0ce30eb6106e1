package intent

import (
	"embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Authors cannot write an answer to smallTalk.
const smallTalk personas.Intent = "small_talk"

//go:embed languages
var languageFiles embed.FS

var languageCodes = []string{"de", "en", "es", "fr", "it", "pt"}

func forLanguages[T any](create func(code string) (T, error)) map[string]func() T {
	out := make(map[string]func() T, len(languageCodes))
	for _, code := range languageCodes {
		out[code] = sync.OnceValue(func() T {
			item, err := create(code)
			if err != nil {
				panic(err) // the files are embedded, and tests read each
			}
			return item
		})
	}
	return out
}

func readYAML[T any](files embed.FS, name string) (texts T, err error) {
	source, err := files.ReadFile(name)
	if err == nil {
		err = yaml.Unmarshal(source, &texts)
	}
	return texts, err
}

type languageTexts struct {
	Intents map[personas.Intent][]string
	Help    []string // patterns of requests for help
	Claims  map[string][]string
	Polite  []string // removed before Help is matched
}

func readLanguage(code string) (languageTexts, error) {
	return readYAML[languageTexts](languageFiles, "languages/"+code+".yaml")
}

const questionPenalty = 0.15

type bank struct {
	intents []personas.Intent
	lines   textList // of the intents
	claims  textList // true in any story
	help    []*regexp.Regexp
	polite  *strings.Replacer
}

type intentMatch struct {
	intent  personas.Intent
	line    string
	score   float64
	meaning float64
	covered float64 // share of the line's content words in the message
}

func (r *Reader) newBank(code string) (*bank, error) {
	texts, err := readLanguage(code)
	b := &bank{intents: append(intentNames(), smallTalk)}
	for k, intent := range b.intents {
		for _, line := range texts.Intents[intent] {
			b.lines.add(line, k)
		}
	}
	b.lines.prepare(r)
	for kind, name := range slices.Sorted(maps.Keys(texts.Claims)) {
		for _, text := range texts.Claims[name] {
			b.claims.add(text, kind)
		}
	}
	b.claims.prepare(r)
	var polite []string
	for _, text := range slices.Backward(slices.Sorted(slices.Values(texts.Polite))) { // "um pouco de" before "um"
		polite = append(polite, " "+text+" ", " ")
	}
	b.polite = strings.NewReplacer(polite...)
	for _, pattern := range texts.Help {
		b.help = append(b.help, regexp.MustCompile(`^(?:`+pattern+`)$`))
	}
	return b, err
}

func intentNames() []personas.Intent {
	return slices.DeleteFunc(slices.Clone(personas.Intents), func(name personas.Intent) bool {
		return name == personas.IntentQuestion || name == personas.IntentRemark
	})
}

func (r *Reader) bankOf(language string) *bank {
	if b := r.banks[language]; b != nil {
		return b()
	}
	return r.banks["en"]()
}

const (
	minClaimKinds   = 3
	claimScore      = 0.5
	wholeExample    = 0.85 // similarity of a message with little besides an example
	maxClaimClauses = 12
)

// suitsAnyStory reports whether a message is made of claims such as "I mean no harm".
func (r *Reader) suitsAnyStory(m *measurement) bool {
	likeness := 0.0
	for k := range m.features[:len(m.features)-1] {
		likeness = max(likeness, m.features[k][fBest], m.features[k][fCriterion])
	}
	if likeness >= wholeExample {
		return false
	}
	clauses, claims, kinds := 0, 0, make(map[int]bool)
	list := &r.bankOf(m.state.language).claims
	for _, clause := range clauseEndPattern().Split(m.text, maxClaimClauses) {
		if strings.TrimSpace(clause) == "" {
			continue
		}
		clauses++
		result, _ := list.index.query(r.lexicon.Read(clause))
		best, kind := claimScore, -1
		for i, score := range result.Scores {
			if score >= best {
				best, kind = score, list.owners[i]
			}
		}
		if kind >= 0 {
			claims++
			kinds[kind] = true
		}
	}
	return len(kinds) >= minClaimKinds || 3*claims >= 2*clauses && likeness < nearExample
}

const sureIntentScore = 0.7

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
	return m.intent.score >= sureIntentScore || !half && !m.sharesFewWords()
}

// isOnlyGreeting excludes "I found her this morning" in spite of "morning".
func (m *measurement) isOnlyGreeting() bool {
	line, other := Words(m.intent.line), 0
	for _, word := range Words(m.text) {
		if l := lists(); !l.Greeting[word] && !l.Titles[word] && !l.Thanking[word] && !slices.Contains(line, word) {
			other++
		}
	}
	return other <= 1 || other == 2 && BeginsWithGreeting(m.text)
}

// minSharedWords keeps "please" from matching the line "once more please".
const minSharedWords = 0.6

func (m *measurement) sharesFewWords() bool {
	line, words, shared := Words(m.intent.line), Words(m.text), 0
	for _, word := range line {
		if slices.Contains(words, word) {
			shared++
		}
	}
	return float64(shared) < minSharedWords*float64(len(line))
}

func (r *Reader) asideVerdict(place *Place, m *measurement, probability float64) Verdict {
	v := Verdict{Decision: personas.AsideName, Confidence: probability}
	last := len(m.features) - 1
	i, likeness := m.nearest[last], m.features[last][fCriterion]
	switch {
	case i >= 0 && likeness >= answeredScore && likeness >= m.intent.score-0.1:
		v.Answer = m.state.sources[i].answer
		v.Why = fmt.Sprintf("aside %.2f: asked like %s (%.2f)", probability, m.quoteNearest(last), likeness)
	case m.hasIntent():
		v.Intent = m.intent.intent
		v.Answer = AnswerFor(*place, v.Intent)
		v.Why = fmt.Sprintf("aside %.2f: %s, like %q (%.2f)", probability, v.Intent, m.intent.line, m.intent.score)
	default:
		v.Why = fmt.Sprintf("aside %.2f: %s", probability, m.describeNearest("nearest example"))
	}
	return v
}

func (m *measurement) quoteNearest(k int) string {
	return fmt.Sprintf("%q", plaintext.ClipWithin(m.state.examples.texts[m.nearest[k]], 80))
}

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
	decision, score := m.state.choices[best].decision, m.features[best][fBest]
	return fmt.Sprintf("%s %s, %s (%.2f)", title, decision, m.quoteNearest(best), score)
}

// AnswerFor returns the author's answer to an intent, or nil. The state takes precedence over the
// machine, and the machine over the persona.
func AnswerFor(place Place, intent personas.Intent) *personas.Answer {
	for _, a := range listAnswers(&place) {
		if a.Intent == intent {
			return a
		}
	}
	return nil
}

const maxHelpWords = 24

// asksForHelp requires a request for help or a courtesy in each sentence. "No idea" alone may
// answer a question.
func (b *bank) asksForHelp(message string) bool {
	if len(strings.Fields(message)) > maxHelpWords {
		return false
	}
	asks := false
	for sentence := range strings.FieldsFuncSeq(message, func(r rune) bool { return strings.ContainsRune(".!?;:\n", r) }) {
		text := b.polite.Replace(joinWords(Words(sentence)))
		words := strings.Join(strings.Fields(b.polite.Replace(text)), " ")
		if words != "" && !slices.ContainsFunc(b.help, func(p *regexp.Regexp) bool { return p.MatchString(words) }) {
			return false
		}
		asks = asks || words != ""
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

var helpCriterion = plaintext.Pattern(`\b(?:for help|(?:needs?|wants) help|for advice|hints?|clues?|` +
	`um (?:hilfe|rat|einen hinweis)|de l'aide|demande conseil|un indice|` +
	`p[ei]de (?:ayuda|consejo|ajuda|conselho)|una pista|uma dica|chiede (?:aiuto|consiglio)|un indizio)\b`)

func (p *preparedState) helpChoice() int {
	isAboutHelp := func(text string) bool { return helpCriterion().MatchString(Fold(clipText(text))) }
	return slices.IndexFunc(p.choices, func(c choice) bool {
		return c.kind != aside && slices.ContainsFunc(c.criteria, isAboutHelp)
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

// IsCourtesy reports whether a sentence contains only greetings, thanks and titles.
func IsCourtesy(sentence string) bool {
	words := strings.Fields(sentence)
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool {
		bare := bareWord(w)
		return !lists().Greeting[bare] && !lists().Thanking[bare] && !lists().Titles[bare]
	})
}

func bareWord(word string) string { return strings.Trim(strings.ToLower(word), ".,;:!-~") }
