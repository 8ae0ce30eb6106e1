package intent

import (
	"embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/parley-npc/parley/personas"
)

// smallTalk is the intent of messages off the subject. Authors cannot write an answer to it.
const smallTalk personas.Intent = "small_talk"

//go:embed languages
var languageFiles embed.FS

// languageCodes are the codes of the languages with built-in intents and small talk.
var languageCodes = []string{"de", "en", "es", "fr", "it", "pt"}

// forLanguages returns a function for each language. The function calls create once.
func forLanguages[T any](create func(code string) (T, error)) map[string]func() T {
	out := make(map[string]func() T, len(languageCodes))
	for _, code := range languageCodes {
		out[code] = sync.OnceValue(func() T {
			made, err := create(code)
			if err != nil {
				panic(err) // the files are embedded, and TestLanguages and TestTalkFiles read each
			}
			return made
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
	Help    []string // patterns of sentences that ask for help
	Claims  map[string][]string
	Polite  []string // words and phrases that are removed before Help is matched
}

func readLanguage(code string) (languageTexts, error) {
	return readYAML[languageTexts](languageFiles, "languages/"+code+".yaml")
}

// questionShare is subtracted from the similarity between a question and a statement.
const questionShare = 0.15

// bank contains the built-in texts of a language.
type bank struct {
	intents []personas.Intent
	lines   textList // of the intents
	claims  textList // that suit any story
	help    []*regexp.Regexp
	polite  *strings.Replacer
}

type intentMatch struct {
	intent  personas.Intent
	line    string
	score   float64
	meaning float64
	covered float64 // share of the line's content words that the message contains
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

// intentNames leaves out IntentQuestion and IntentRemark, which apply to messages without another
// intent.
func intentNames() []personas.Intent {
	return slices.DeleteFunc(slices.Clone(personas.Intents), func(name personas.Intent) bool {
		return name == personas.IntentQuestion || name == personas.IntentRemark
	})
}

// bankOf returns the English bank for a language without intents.
func (r *Reader) bankOf(language string) *bank {
	if b := r.banks[language]; b != nil {
		return b()
	}
	return r.banks["en"]()
}

const (
	// manyClaims is the minimum number of different kinds of claims in a message that suits any
	// story.
	manyClaims = 3
	claimScore = 0.5
	// wholeExample is the minimum similarity of a message that consists almost entirely of an
	// example.
	wholeExample    = 0.85
	maxClaimClauses = 12
)

// suitsAnyStory reports whether a message is made of claims such as "I mean no harm" or "I brought
// you food", which fit every persona. A message close to an example is excluded.
func (r *Reader) suitsAnyStory(m *measurement) bool {
	near := 0.0
	for k := range m.features[:len(m.features)-1] {
		near = max(near, m.features[k][fBest], m.features[k][fCriterion])
	}
	if near >= wholeExample {
		return false
	}
	clauses, claims, kinds := 0, 0, make(map[int]bool)
	list := &r.bankOf(m.state.language).claims
	for _, clause := range clauseEndPattern().Split(m.text, maxClaimClauses) {
		if strings.TrimSpace(clause) == "" {
			continue
		}
		clauses++
		found, _ := list.index.query(r.lexicon.Read(clause))
		best, kind := claimScore, -1
		for i, score := range found.Scores {
			if score >= best {
				best, kind = score, list.owners[i]
			}
		}
		if kind >= 0 {
			claims++
			kinds[kind] = true
		}
	}
	return len(kinds) >= manyClaims || 3*claims >= 2*clauses && near < nearExample
}
