package scripted

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

// languageFiles contains a file for each language code. A language without an opening is
// recognized, but not spoken.
//
//go:embed languages
var languageFiles embed.FS

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
		Names map[string]string // of the spoken languages, by code
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

type valueWords struct {
	OwnName                        phraseList `yaml:"own_name"`
	Number, Short, Refusals        phraseList
	Lead, Own, Closing             phraseList
	Articles, Or, Denying, Yes, No phraseList
	Same                           map[string]phraseList
}

type phraseList []string

// UnmarshalYAML decodes and folds a list of phrases or a string of words.
func (l *phraseList) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode {
		*l = strings.Fields(intent.Fold(node.Value))
		return nil
	}
	var phrases []string
	err := node.Decode(&phrases)
	for _, phrase := range phrases {
		*l = append(*l, intent.Fold(phrase))
	}
	return err
}

func (l phraseList) has(word string) bool { return slices.Contains(l, word) }

// valueWordsOf adds the English words, because many prompts are in English.
func (l languageTexts) valueWordsOf(code string) *valueWords {
	w := l[english]().Values
	read := l[code]
	if read == nil || code == english {
		return &w
	}
	words := &read().Values
	for to, words := range map[*phraseList]phraseList{
		&w.OwnName: words.OwnName, &w.Number: words.Number, &w.Short: words.Short, &w.Refusals: words.Refusals,
		&w.Lead: words.Lead, &w.Own: words.Own, &w.Closing: words.Closing, &w.Articles: words.Articles,
		&w.Or: words.Or, &w.Denying: words.Denying, &w.Yes: words.Yes, &w.No: words.No,
	} {
		*to = slices.Concat(*to, words)
	}
	w.Same = make(map[string]phraseList)
	for kind, phrases := range l[english]().Values.Same {
		w.Same[kind] = slices.Concat(phrases, words.Same[kind])
	}
	return &w
}
