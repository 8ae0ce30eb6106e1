package scripted

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

// languageFiles contains a file for each language, named by its code. A language without an opening
// is recognized, but characters do not speak it.
//
//go:embed languages
var languageFiles embed.FS

// english is the fallback for languages that characters do not speak.
const english = "en"

type texts struct {
	Somebody, Listener string
	Opening            []string
	Lines              map[string][]string // by decision; "unknown" is for an aside
	Hint, Warning      string
	EndsWell           string `yaml:"ends_well"`
	Ends, Now          string
	Intents            map[personas.Intent][]string
	Talk               map[intent.Talk][]string
	Names              nameWords
	Values             valueWords
	Foreign            struct {
		Line  string
		Names map[string]string // names of the languages that characters speak, by code
	}
}

type languageTexts map[string]func() *texts

func newLanguageTexts() languageTexts {
	entries, err := languageFiles.ReadDir("languages")
	if err != nil {
		panic(err)
	}
	all := make(languageTexts, len(entries))
	for _, e := range entries {
		code := strings.TrimSuffix(e.Name(), ".yaml")
		all[code] = sync.OnceValue(func() *texts {
			t, err := readTexts(code)
			if err != nil {
				panic(err)
			}
			return t
		})
	}
	return all
}

func readTexts(code string) (*texts, error) {
	source, err := languageFiles.ReadFile("languages/" + code + ".yaml")
	if err != nil {
		return nil, err
	}
	t := new(texts)
	if err := yaml.Load(source, t, yaml.WithKnownFields()); err != nil {
		return nil, fmt.Errorf("languages/%s.yaml: %w", code, err)
	}
	t.fold()
	return t, nil
}

func (l languageTexts) ofLanguage(code string) *texts {
	if read := l[code]; read != nil {
		if t := read(); len(t.Opening) > 0 {
			return t
		}
	}
	return l[english]()
}

// valueWords are the folded words that mark answers in a conversation. A string contains words
// separated by blanks.
type valueWords struct {
	OwnName                 []string `yaml:"own_name"`
	Number, Short, Refusals []string
	Same                    map[string][]string
	Lead, Own, Closing      string
	Articles, Or, Denying   string
	Yes, No                 string
}

// valueWordsOf adds the English words, because many prompts are written in English.
func (l languageTexts) valueWordsOf(code string) *valueWords {
	w := l[english]().Values
	read := l[code]
	if read == nil || code == english {
		return &w
	}
	own := &read().Values
	w.OwnName, w.Number = slices.Concat(w.OwnName, own.OwnName), slices.Concat(w.Number, own.Number)
	w.Short, w.Refusals = slices.Concat(w.Short, own.Short), slices.Concat(w.Refusals, own.Refusals)
	same := make(map[string][]string)
	for kind, phrases := range w.Same {
		same[kind] = slices.Concat(phrases, own.Same[kind])
	}
	w.Same = same
	for to, words := range map[*string]string{
		&w.Lead: own.Lead, &w.Own: own.Own, &w.Closing: own.Closing, &w.Articles: own.Articles,
		&w.Or: own.Or, &w.Denying: own.Denying, &w.Yes: own.Yes, &w.No: own.No,
	} {
		*to += " " + words
	}
	return &w
}

func (t *texts) fold() {
	v := &t.Values
	lists := [][]string{t.Names.Phrases, t.Names.Loose, v.OwnName, v.Number, v.Short, v.Refusals}
	for _, phrases := range append(lists, slices.Collect(maps.Values(v.Same))...) {
		for i := range phrases {
			phrases[i] = intent.Fold(phrases[i])
		}
	}
	for _, words := range [...]*string{&t.Names.Denied, &t.Names.Never, &v.Lead, &v.Own, &v.Closing, &v.Articles, &v.Or, &v.Denying, &v.Yes, &v.No} {
		*words = strings.Join(strings.Fields(intent.Fold(*words)), " ")
	}
}
