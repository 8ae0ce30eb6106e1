package scripted

import (
	"embed"
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/nlu"
)

// languageFiles has a file for each language in which something can be said, named by its code.
// Files with nothing but "foreign" are of languages in which no character speaks.
//
//go:embed languages
var languageFiles embed.FS

// english is the language of a persona whose own language has no sentences.
const english = "en"

// texts are what is said in a language where the author has no words, and the words by which
// names and questions are known. Its members are explained in languages/en.yaml.
type texts struct {
	Somebody, Listener string
	Opening            []string
	Lines              map[string][]string // by decision; "unknown" for an aside
	Hint               string
	EndsWell           string `yaml:"ends_well"`
	Ends, Now          string
	Intents            map[personas.Intent][]string
	Talk               map[nlu.Talk][]string
	Names              nameWords
	Foreign            struct {
		Line  string
		Names map[string]string // of the languages that characters speak, by code
	}
}

// languageTexts are the texts of all languages by code, each read when it is first needed.
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
	for _, phrases := range [...][]string{t.Names.Phrases, t.Names.Loose} {
		for i := range phrases {
			phrases[i] = nlu.Fold(phrases[i])
		}
	}
	for _, words := range [...]*string{&t.Names.Denied, &t.Names.Never, &t.Names.Articles} {
		*words = strings.Join(strings.Fields(nlu.Fold(*words)), " ")
	}
	return t, nil
}

// ofLanguage returns the texts of a language, or the English ones where no character speaks it.
func (l languageTexts) ofLanguage(code string) *texts {
	if read := l[code]; read != nil {
		if t := read(); len(t.Opening) > 0 {
			return t
		}
	}
	return l[english]()
}
