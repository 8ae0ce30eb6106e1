package intent

import (
	_ "embed"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"
)

//go:embed words.yaml
var wordFile []byte

type wordLists struct {
	Common                             map[string]wordSet // by language
	OtherLanguages                     map[string]wordSet `yaml:"other_languages"`
	TellingLanguages                   map[string]wordSet `yaml:"telling_languages"`
	Asking, Negators                   wordSet
	ClauseNegators                     wordSet  `yaml:"clause_negators"`
	JapaneseNegations                  []string `yaml:"japanese_negations"`
	Agreement, Refusal                 wordSet
	Kindred                            []wordSet
	Opposites, Idioms, Chat, Irregular wordForms

	Violent, Strong, Theft, Weapons, Draw wordSet
	NounMarks                             wordSet `yaml:"noun_marks"`
	Attacked, Speaker, Menacing           wordSet
	Harmless, Curses, Menaces, Quits      phraseTable
	PastVerbs                             wordSet `yaml:"past_verbs"`
	PastTimes                             wordSet `yaml:"past_times"`
	BackTo                                wordSet `yaml:"back_to"`
	Asks, Joins                           wordSet
	InsultNouns                           wordSet `yaml:"insult_nouns"`
	InsultWords                           wordSet `yaml:"insult_words"`
	ContemptNouns                         wordSet `yaml:"contempt_nouns"`
	ContemptWords                         wordSet `yaml:"contempt_words"`
	TakesThing                            wordSet `yaml:"takes_thing"`

	Yes, No      wordSet
	WithAnswers  wordSet            `yaml:"with_answers"`
	PlainNo      map[string]string  `yaml:"plain_no"` // by language
	Alternatives map[string]wordSet // by language
	OtherPerson  map[string]string  `yaml:"other_person"`

	QuestionFillers                     wordSet     `yaml:"question_fillers"`
	SecondWords                         wordSet     `yaml:"second_words"`
	TellingInside                       wordSet     `yaml:"telling_inside"`
	TellingPhrases                      phraseTable `yaml:"telling_phrases"`
	Telling, Offers                     wordSet
	Greeting, Filling, Titles, Thanking wordSet
	Reporting                           wordSet
}

var lists = sync.OnceValue(func() *wordLists {
	l := new(wordLists)
	if err := yaml.Load(wordFile, l, yaml.WithKnownFields()); err != nil {
		panic(err) // the file is embedded, and every test reads it
	}
	return l
})

type wordSet map[string]bool

// UnmarshalYAML decodes words separated by blanks.
func (s *wordSet) UnmarshalYAML(node *yaml.Node) error {
	var text string
	if err := node.Decode(&text); err != nil {
		return err
	}
	*s = makeSet(text)
	return nil
}

func makeSet(words string) wordSet {
	out := make(wordSet)
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

type wordForms map[string]string

// UnmarshalYAML decodes a list of forms for each word.
func (f *wordForms) UnmarshalYAML(node *yaml.Node) error {
	var words map[string][]string
	if err := node.Decode(&words); err != nil {
		return err
	}
	*f = make(wordForms)
	for word, forms := range words {
		for _, form := range forms {
			(*f)[form] = word
		}
	}
	return nil
}

type phraseTable map[string][][]string

// UnmarshalYAML decodes a list of phrases.
func (t *phraseTable) UnmarshalYAML(node *yaml.Node) error {
	var phrases []string
	if err := node.Decode(&phrases); err != nil {
		return err
	}
	*t = make(phraseTable)
	for _, p := range phrases {
		words := strings.Fields(p)
		(*t)[words[0]] = append((*t)[words[0]], words)
	}
	return nil
}
