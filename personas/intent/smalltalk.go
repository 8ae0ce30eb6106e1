package intent

import (
	"embed"
	"regexp"
	"strings"

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
	compiled func() *regexp.Regexp
}

// talkTable contains rules in the order of evaluation.
type talkTable []talkRule

type talkTexts struct {
	SmallTalk  talkTable `yaml:"small_talk"`
	Hostility  talkTable
	NotHostile []string `yaml:"not_hostile"` // words that make an attack harmless: about the speaker, negated, or reported
}

//go:embed smalltalk
var talkFiles embed.FS

func readTalkTexts(code string) (talkTexts, error) {
	texts, err := readYAML[talkTexts](talkFiles, "smalltalk/"+code+".yaml")
	for _, table := range [...]talkTable{texts.SmallTalk, texts.Hostility} {
		for i, r := range table {
			words := " (?:" + strings.Join(r.Patterns, "|") + ") "
			if r.Whole {
				words = "^" + words + "$"
			}
			table[i].compiled = plaintext.Pattern(words)
		}
	}
	return texts, err
}

func (t talkTable) find(words []string) Talk {
	text := " " + strings.Join(words, " ") + " "
	for i := range t {
		if t[i].compiled().MatchString(text) {
			return t[i].Kind
		}
	}
	return NoTalk
}

// SmallTalk returns the kind of small talk of the text in a language, which is the primary BCP 47
// subtag. It returns NoTalk for any other text, and for a text with more than talkMaxWords words.
func (r *Reading) SmallTalk(language string) Talk {
	message := r.text
	spans := splitSpans(message)
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
	if language == "en" && tellsRiddle(message) {
		return JokeTold
	}
	if known := r.lexicon.talk[language]; known != nil {
		if talk := known().SmallTalk.find(words); talk != NoTalk {
			return talk
		}
	}
	if language == "en" && r.isNonsense() {
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

func tellsRiddle(message string) bool {
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

// isNonsense counts function words as known. So "there are crisps in the glovebox" is not nonsense.
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

// hostility returns Insulting or Threatening for an explicit attack on the listener in a language
// other than English, and NoTalk otherwise. An action between asterisks counts as a statement of
// the speaker.
func (r *Reading) hostility(language string) Talk {
	known := r.lexicon.talk[language]
	if known == nil {
		return NoTalk
	}
	words := talkWords(strings.ReplaceAll(r.text, "*", " "), false)
	if len(words) == 0 || len(words) > talkMaxWords {
		return NoTalk
	}
	talk := known().Hostility.find(words)
	text := " " + strings.Join(words, " ") + " "
	for _, own := range known().NotHostile {
		if strings.Contains(text, " "+own) {
			return NoTalk
		}
	}
	return talk
}
