package intent

import (
	"embed"
	"regexp"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/parley-npc/parley/personas/plaintext"
)

// Talk is a kind of small talk. Its value is a description for traces.
type Talk string

// The kinds of small talk.
const (
	NoTalk        Talk = ""
	AskAge        Talk = "a question about the character's age"
	AskFamily     Talk = "a question about the character's family"
	AskOrigin     Talk = "a question about where the character is from"
	AskTaste      Talk = "a question about what the character likes"
	AskWork       Talk = "a question about the character's work"
	AskDay        Talk = "a question about the character's day"
	AskFeeling    Talk = "a question about how the character feels"
	AskPersonal   Talk = "a personal question"
	AskOpinion    Talk = "an opinion asked"
	AskTime       Talk = "a question about the time"
	AskPrice      Talk = "a question about money"
	AskWorld      Talk = "a question about the surroundings"
	AskSenses     Talk = "a question about what there is to hear or smell"
	AskPeople     Talk = "a question about somebody else"
	AskBot        Talk = "a question about the model"
	Greeted       Talk = "a greeting and what comes behind it"
	AskGame       Talk = "a question about the game"
	AskWhy        Talk = "a bare why"
	Invitation    Talk = "an announcement"
	Wish          Talk = "a good wish"
	Sympathy      Talk = "sympathy"
	Farewell      Talk = "a farewell"
	Puzzlement    Talk = "puzzlement"
	AskSince      Talk = "a question about how long"
	AskThere      Talk = "a question about what there is"
	AskFact       Talk = "a question about something else"
	Weather       Talk = "the weather"
	Compliment    Talk = "a compliment"
	BadNews       Talk = "bad news"
	GoodNews      Talk = "good news"
	Weariness     Talk = "how the player feels"
	AboutPlayer   Talk = "something about the player"
	JokeQuestion  Talk = "a joke that asks back"
	KnockKnock    Talk = "knock knock"
	JokeTold      Talk = "a joke"
	Laughter      Talk = "laughter"
	Agreement     Talk = "agreement"
	Disagreement  Talk = "disagreement"
	Wonder        Talk = "wonder"
	Remark        Talk = "a remark"
	Pondering     Talk = "pondering"
	Apology       Talk = "an apology"
	Complaint     Talk = "a complaint"
	Swearing      Talk = "swearing"
	SoundCheck    Talk = "a test"
	Silence       Talk = "silence"
	Gesture       Talk = "a gesture"
	SmallGesture  Talk = "a small gesture"
	Nonsense      Talk = "nonsense"
	talkMaxWords       = 40
	nonsenseShare      = 0.6
	nonsenseWords      = 2
)

// IsQuestion reports whether t is a question to the character.
func (t Talk) IsQuestion() bool {
	switch t {
	case AskAge, AskFamily, AskOrigin, AskTaste, AskWork, AskDay, AskFeeling, AskPersonal, AskOpinion, AskTime, AskPrice, AskWorld, AskSenses, AskPeople, AskSince, AskThere, AskFact:
		return true
	}
	return false
}

// talkRule is a rule for a kind of small talk. Its patterns are regular expressions over the folded
// words of a message.
type talkRule struct {
	Kind     Talk
	Whole    bool
	Patterns []string
}

//go:embed smalltalk
var talkFiles embed.FS

type talkTexts struct {
	SmallTalk  []talkRule `yaml:"small_talk"` // the first match wins
	Hostility  []talkRule
	NotHostile []string `yaml:"not_hostile"` // words that make an attack harmless: about the speaker, negated, or reported
}

var talkLanguages = []string{"de", "en", "es", "fr", "it", "pt"}

func readTalkTexts(code string) (talkTexts, error) {
	source, err := talkFiles.ReadFile("smalltalk/" + code + ".yaml")
	if err != nil {
		return talkTexts{}, err
	}
	var texts talkTexts
	err = yaml.Unmarshal(source, &texts)
	return texts, err
}

type languageTalk struct {
	smallTalk, hostile talkTable
	notHostile         []string
}

type talkTable []talkMatcher

// talkMatcher is a rule compiled to one expression. The expression is matched with the words of a
// message, separated and surrounded by blanks.
type talkMatcher struct {
	talk  Talk
	words func() *regexp.Regexp
}

func prepareTalk() map[string]func() *languageTalk {
	out := make(map[string]func() *languageTalk, len(talkLanguages))
	for _, code := range talkLanguages {
		out[code] = sync.OnceValue(func() *languageTalk {
			texts, err := readTalkTexts(code)
			if err != nil {
				panic(err) // the files are embedded, and TestTalkFiles reads each
			}
			return &languageTalk{newTalkTable(texts.SmallTalk), newTalkTable(texts.Hostility), texts.NotHostile}
		})
	}
	return out
}

func newTalkTable(rules []talkRule) talkTable {
	out := make(talkTable, len(rules))
	for i, r := range rules {
		words := " (?:" + strings.Join(r.Patterns, "|") + ") "
		if r.Whole {
			words = "^" + words + "$"
		}
		out[i] = talkMatcher{r.Kind, plaintext.Pattern(words)}
	}
	return out
}

func (t talkTable) find(words []string) Talk {
	text := " " + strings.Join(words, " ") + " "
	for i := range t {
		if t[i].words().MatchString(text) {
			return t[i].talk
		}
	}
	return NoTalk
}

// SmallTalk returns the kind of small talk of a message in a language, which is the primary BCP 47
// subtag. It returns NoTalk for any other message, and for a message with more than talkMaxWords
// words.
func (x *Lexicon) SmallTalk(message, language string) Talk {
	return x.findTalk(message, language, func() *Reading { return x.Read(message) })
}

// SmallTalk returns the kind of small talk of the text, as Lexicon.SmallTalk does for a message.
func (r *Reading) SmallTalk(language string) Talk {
	return r.lexicon.findTalk(r.text, language, func() *Reading { return r })
}

func (x *Lexicon) findTalk(message, language string, read func() *Reading) Talk {
	spans := SplitSpans(message)
	if len(spans) == 1 && spans[0].Action {
		return gestureOf(spans[0].Text)
	}
	words := talkWords(message, language == "en")
	switch {
	case len(words) == 0 && strings.TrimSpace(message) == "", len(words) > talkMaxWords:
		return NoTalk
	case len(words) == 0 && strings.ContainsAny(message, "?？"), language == "en" && len(words) == 1 && words[0] == "what":
		return Puzzlement
	case len(words) == 0:
		return Silence
	}
	if language == "en" && TellsRiddle(message) {
		return JokeTold
	}
	if table := x.talk[language]; table != nil {
		if talk := table().smallTalk.find(words); talk != NoTalk {
			return talk
		}
	}
	if language == "en" && read().isNonsense() {
		return Nonsense
	}
	return NoTalk
}

// Patterns for a riddle with its answer, and for words that make it a question to the character
// instead.
var (
	riddle = plaintext.Pattern(`(?i)\b(?:why (?:did|do|does|don'?t|didn'?t|can'?t|was|were|are)\b([^?]{5,80}?)(?:\?|\.\.\.|…)\s*(?:to|because|'?cause|cos|cuz|bc|so that|nobody|no one)\b|what (?:do|did) (?:you|u) (?:call|get)\b[^?]{3,80}\?\s*\S)[^?]*$`)
	ofYou  = plaintext.Pattern(`(?i)\b(?:you|u|your|ur|i|me|my|we)\b`)
)

// TellsRiddle reports whether a message asks a riddle and answers it.
func TellsRiddle(message string) bool {
	if !strings.ContainsAny(message, "?…") && !strings.Contains(message, "...") {
		return false
	}
	found := riddle().FindStringSubmatch(message)
	return found != nil && !ofYou().MatchString(found[1])
}

func gestureOf(action string) Talk {
	words := talkWords(action, true)
	if len(words) > 0 && len(words) <= 3 && lists().IdleGestures[words[0]] {
		return SmallGesture
	}
	return Gesture
}

// shortIs matches a short form of "is", but not a genitive.
var shortIs = plaintext.Pattern(`\b(what|who|where|when|how|why|it|that|there|here|he|she|name)'s\b`)

func talkWords(message string, english bool) []string {
	folded := Fold(message)
	if english && strings.Contains(folded, "'s") {
		folded = shortIs().ReplaceAllString(folded, "$1 is")
	}
	var out []string
	for _, t := range cutTokens(folded, english) {
		if t.kind < clauseEnd {
			out = append(out, t.text)
		}
	}
	return out
}

// isNonsense reports whether most words of a text are unknown. Function words count as known, so
// that "there are crisps in the glovebox" is not nonsense.
func (r *Reading) isNonsense() bool {
	strange := 0
	for _, s := range r.listSpans() {
		for i := range s.tokens {
			if t := &s.tokens[i]; t.isSubstance() && t.entry == r.lexicon.strange && t.vector == 0 {
				strange++
			}
		}
	}
	all := float64(len(Words(r.text)))
	return strange >= nonsenseWords && float64(strange) >= nonsenseShare*all || strange == 1 && all == 1
}

// Attacks on the character, in languages other than English.
const (
	Insulting   Talk = "an insult"
	Threatening Talk = "a threat or an attack"
)

// Hostility returns Insulting or Threatening if a text in a language other than English explicitly
// insults, threatens or attacks the listener, and NoTalk otherwise. It treats an action between
// asterisks like a statement of the speaker about themselves.
func (r *Reading) Hostility(language string) Talk {
	known := r.lexicon.talk[language]
	if known == nil {
		return NoTalk
	}
	words := talkWords(strings.ReplaceAll(r.text, "*", " "), false)
	if len(words) == 0 || len(words) > talkMaxWords {
		return NoTalk
	}
	talk := known().hostile.find(words)
	if talk == NoTalk {
		return NoTalk
	}
	text := " " + strings.Join(words, " ") + " "
	for _, own := range known().notHostile {
		if strings.Contains(text, " "+own) {
			return NoTalk
		}
	}
	return talk
}
