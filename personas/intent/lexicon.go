package intent

import (
	"cmp"
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/blevesearch/snowballstem"
	stemenglish "github.com/blevesearch/snowballstem/english"
	stemfrench "github.com/blevesearch/snowballstem/french"
	stemgerman "github.com/blevesearch/snowballstem/german"
	stemitalian "github.com/blevesearch/snowballstem/italian"
	stemportuguese "github.com/blevesearch/snowballstem/portuguese"
	stemspanish "github.com/blevesearch/snowballstem/spanish"
	"go.yaml.in/yaml/v4"

	"github.com/parley-npc/parley/personas/cache"
)

const (
	agreeing = 1 // kin of yes
	refusing = 2 // kin of no
)

// Lexicon contains the linguistic data of the model. The caches of stems and small-talk rules do
// not change results.
type Lexicon struct {
	vectors *vectors
	words   map[string]*wordEntry
	strange *wordEntry // entry of unlisted words
	stems   *cache.Cache[stemKey, wordStem]
	talk    map[string]func() talkTexts
}

type wordEntry struct {
	common   language // languages with the word as a common word of little meaning
	asks     bool
	denies   bool // for the rest of the clause
	overall  bool // for the whole clause
	kin      uint16
	opposite string
	idioms   []idiom
}

type idiom struct {
	words []string
	means string
}

type stemKey struct {
	word     string
	language language
}

type wordStem struct {
	word string
	kin  uint16
}

const (
	maxMemory   = 4096
	maxStemSize = 32
	maxTokens   = 2000 // more than ordinary text of 8,000 characters has
)

func NewLexicon() *Lexicon {
	v, err := parseVectors(vectorTable)
	if err != nil {
		panic(err)
	}
	lexicon := &Lexicon{
		vectors: v, words: make(map[string]*wordEntry), strange: new(wordEntry),
		stems: cache.New[stemKey, wordStem](maxMemory), talk: forLanguages(readTalkTexts),
	}
	l := lists()
	for code, words := range l.Common {
		for w := range words {
			lexicon.entry(w).common |= codes[code]
		}
	}
	for w := range l.Asking {
		lexicon.entry(w).asks = true
	}
	for w := range l.Negators {
		lexicon.entry(w).denies = true
	}
	for w := range l.ClauseNegators {
		lexicon.entry(w).overall = true
	}
	for word, opposite := range l.Opposites {
		lexicon.entry(word).opposite = opposite
	}
	for phrase, means := range l.Idioms {
		words := strings.Fields(phrase)
		first := lexicon.entry(words[0])
		first.idioms = append(first.idioms, idiom{words, means})
	}
	for i, group := range append([]wordSet{l.Agreement, l.Refusal}, l.Kindred...) {
		lexicon.noteRelated(uint16(agreeing+i), group)
	}
	return lexicon
}

func (x *Lexicon) entry(word string) *wordEntry {
	if x.words[word] == nil {
		x.words[word] = new(wordEntry)
	}
	return x.words[word]
}

// noteRelated skips a stem with an entry, such as "will" for "willing".
func (x *Lexicon) noteRelated(group uint16, words wordSet) {
	join := func(word string) { x.entry(word).kin = cmp.Or(x.entry(word).kin, group) }
	for w := range words {
		join(w)
	}
	for _, w := range slices.Sorted(maps.Keys(words)) {
		if s := stemWord(w, english); x.words[s] == nil {
			join(s)
		}
	}
}

func (x *Lexicon) tokensOf(text string) []token {
	folded := Fold(text)
	ts := x.setEntries(cutTokens(folded, false))
	if x.languageOf(ts, english) == english {
		ts = x.setEntries(cutTokens(folded, true))
	}
	for i := range ts {
		if ts[i].kind == wordToken {
			ts[i].vector = x.vectors.find(ts[i].text)
		}
	}
	return ts
}

func (x *Lexicon) setEntries(ts []token) []token {
	ts = ts[:min(len(ts), maxTokens)]
	for i := range ts {
		ts[i].entry = x.entryFor(ts[i].text)
	}
	return ts
}

func (x *Lexicon) entryFor(word string) *wordEntry {
	if l := x.words[word]; l != nil {
		return l
	}
	return x.strange
}

var stemmers = map[language]func(*snowballstem.Env) bool{
	english: stemenglish.Stem, german: stemgerman.Stem, spanish: stemspanish.Stem,
	french: stemfrench.Stem, portuguese: stemportuguese.Stem, italian: stemitalian.Stem,
}

func stemWord(word string, language language) string {
	env := snowballstem.NewEnv(word)
	stemmers[language](env)
	return env.Current()
}

func (x *Lexicon) stemOf(word string, language language) wordStem {
	if len(word) > maxStemSize {
		return wordStem{word: word}
	}
	key := stemKey{word, language}
	s, ok := x.stems.Find(key)
	if ok {
		return s
	}
	s.word = stemWord(word, language)
	s.kin = x.entryFor(s.word).kin
	key.word = strings.Clone(word)
	x.stems.Keep(key, s, 1)
	return s
}

// A language has common words and a stemmer. Texts in other languages are compared by whole words,
// prefixes and trigrams.
type language uint8

const (
	english language = 1 << iota
	german
	spanish
	french
	portuguese
	italian
)

var languages = [...]language{english, german, spanish, french, portuguese, italian}

var codes = map[string]language{
	"en": english, "de": german, "es": spanish, "fr": french, "pt": portuguese, "it": italian,
}

var scripts = []struct {
	code  string
	table *unicode.RangeTable
}{
	{"ja", unicode.Hiragana}, {"ja", unicode.Katakana}, {"ko", unicode.Hangul}, {"zh", unicode.Han},
	{"ru", unicode.Cyrillic}, {"ar", unicode.Arabic}, {"hi", unicode.Devanagari}, {"bn", unicode.Bengali},
	{"th", unicode.Thai}, {"el", unicode.Greek}, {"he", unicode.Hebrew},
}

func (x *Lexicon) detectLanguage(message, expected string) string {
	if code := scriptLanguage(message); code != "" {
		if code == expected {
			return ""
		}
		return code
	}
	return x.latinLanguage(distinctWords(message), expected)
}

// distinctWords keeps chat spelling. The English replacements would hide another language.
func distinctWords(text string) map[string]bool {
	words := make(map[string]bool)
	for w := range strings.FieldsFuncSeq(Fold(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if words[w] = true; len(words) == maxTokens {
			break
		}
	}
	return words
}

func scriptLanguage(message string) string {
	counts, latin := make(map[string]int), 0
	for _, r := range message {
		if unicode.Is(unicode.Latin, r) {
			latin++
			continue
		}
		for _, s := range scripts {
			if unicode.Is(s.table, r) {
				counts[s.code]++
			}
		}
	}
	if counts["ja"] > 0 { // Japanese texts contain Han characters too
		counts["ja"] += counts["zh"]
	}
	best := ""
	for _, s := range scripts {
		if counts[s.code] > counts[best] {
			best = s.code
		}
	}
	if counts[best] < latin {
		return ""
	}
	return best
}

func (x *Lexicon) latinLanguage(words map[string]bool, expected string) string {
	familiar, english := 0, 0
	if expected == "en" {
		for w := range lists().Filling { // "um" and "er" are words of other languages
			delete(words, w)
		}
		familiar, english = x.countEnglish(words)
	}
	counts := x.countCommon(words)
	best, count, shared := "", 0, false
	for _, code := range [...]string{"es", "fr", "de", "pt", "it", "en", "nl", "pl", "tr", "sv", "id"} {
		if code == expected {
			continue
		}
		shared = counts[code] == count || shared && counts[code] < count
		if counts[code] > count {
			best, count = code, counts[code]
		}
	}
	expectedCount := max(counts[expected], english)
	isClear := count >= 2 && count > expectedCount && count >= familiar
	isOnlyEvidence := count == 1 && !shared && expectedCount+familiar == 0 && len(words) <= 2
	if isClear || isOnlyEvidence {
		return best
	}
	return ""
}

func (x *Lexicon) countCommon(words map[string]bool) map[string]int {
	counts := make(map[string]int)
	for w := range words {
		entry := x.entryFor(w)
		for code, language := range codes {
			if entry.common&language != 0 || lists().TellingLanguages[code][w] {
				counts[code]++
			}
		}
		for code, set := range lists().OtherLanguages {
			if set[w] {
				counts[code]++
			}
		}
	}
	return counts
}

func (x *Lexicon) countEnglish(words map[string]bool) (familiar, unique int) {
	for w := range words {
		entry, common := x.entryFor(w), x.vectors.find(w) != 0
		isForeign := entry.common != 0 && entry.common&english == 0
		switch {
		case common && !isForeign:
			unique++
			familiar++
		case common, lists().Chat[w] != "", entry.kin == agreeing, entry.kin == refusing:
			familiar++
		}
	}
	return familiar, unique
}

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
