package intent

import (
	"embed"
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

type bank struct {
	lines    []string
	intents  []personas.Intent
	index    *Index
	profiles profileList
	help     []*regexp.Regexp
	polite   *strings.Replacer

	claims     *Index
	claimKinds []int
}

type intentMatch struct {
	intent  personas.Intent
	line    string
	score   float64
	rank    float64 // score, reduced if only one of message and line is a question
	meaning float64
	known   *profile
	covered float64 // share of the line's content words that the message contains
}

func (r *Reader) newBank(code string) (*bank, error) {
	texts, err := readLanguage(code)
	b := &bank{}
	var kinds []int
	var read []*Reading
	for k, intent := range append(intentNames(), smallTalk) {
		for _, line := range texts.Intents[intent] {
			b.lines, b.intents, kinds = append(b.lines, line), append(b.intents, intent), append(kinds, k)
			read = append(read, r.lexicon.Read(line))
			b.profiles.add(r.kinds, read[len(read)-1])
		}
	}
	b.index = r.lexicon.NewIndex(read, kinds)
	b.claims, b.claimKinds = r.newClaims(texts.Claims)
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

func (b *bank) match(found *Result, message *profile, cosines *cosineTable, without string) intentMatch {
	var best intentMatch
	for i, score := range found.Scores {
		if b.lines[i] == without {
			continue
		}
		rank := score
		if message.acts.Question != b.profiles.texts[i].acts.Question {
			rank -= questionShare
		}
		if score > 0 && rank > best.rank {
			best.rank = rank
			best.intent, best.line, best.score, best.known = b.intents[i], b.lines[i], score, &b.profiles.texts[i]
			best.covered = found.Covered[i]
		}
		for s := range cosines.said {
			best.meaning = max(best.meaning, cosines.likeness(s, i))
		}
	}
	return best
}
