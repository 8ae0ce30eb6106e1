package nlu

import (
	"regexp"
	"strings"
	"sync"
)

// Talk is a kind of small talk: what a message is beside the matter. Its name is
// for traces.
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
	Farewell      Talk = "a farewell"
	Puzzlement    Talk = "puzzlement"
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
	Pondering     Talk = "pondering"
	Apology       Talk = "an apology"
	Complaint     Talk = "a complaint"
	Swearing      Talk = "swearing"
	SoundCheck    Talk = "a test"
	Silence       Talk = "silence"
	Gesture       Talk = "a gesture"
	Nonsense      Talk = "nonsense"
	talkMaxWords       = 40 // of a message that may be small talk
	nonsenseShare      = 0.6
	nonsenseWords      = 2
)

// talkRule says by which words a kind is known: regular expressions over the
// message's folded words, of which one must be found.
type talkRule struct {
	talk Talk
	// whole is true where the words must be the whole message.
	whole bool
	words string // one expression to a line
}

// talkRules are, by language, the rules in the order in which they are tried.
var talkRules = map[string][]talkRule{
	"en": englishTalk, "de": germanTalk, "fr": frenchTalk, "es": spanishTalk, "pt": portugueseTalk, "it": italianTalk,
}

type compiledRule struct {
	talk  Talk
	words *regexp.Regexp
}

// compiledTalk are the rules of a language, made when they are first needed.
var compiledTalk = func() map[string]func() []compiledRule {
	out := make(map[string]func() []compiledRule, len(talkRules))
	for language, rules := range talkRules {
		out[language] = sync.OnceValue(func() []compiledRule { return compileTalk(rules) })
	}
	return out
}()

func compileTalk(rules []talkRule) []compiledRule {
	out := make([]compiledRule, len(rules))
	for i, r := range rules {
		words := "(?:" + strings.Join(strings.Split(strings.TrimSpace(r.words), "\n"), "|") + ")"
		before, behind := " ", " "
		if r.whole {
			before, behind = "^ ", " $"
		}
		out[i] = compiledRule{r.talk, regexp.MustCompile(before + words + behind)}
	}
	return out
}

// SmallTalk says which kind of small talk a message is in a language (its BCP 47
// code, the first part); NoTalk for none, and for a long message.
func (x *Lexicon) SmallTalk(message, language string) Talk {
	spans := SplitSpans(message)
	if len(spans) == 1 && spans[0].Action {
		return Gesture
	}
	words := talkWords(message, language == "en")
	switch {
	case len(words) == 0 && strings.TrimSpace(message) == "", len(words) > talkMaxWords:
		return NoTalk
	case len(words) == 0 && strings.ContainsAny(message, "?？"):
		return Puzzlement
	case len(words) == 0:
		return Silence
	}
	if rules := compiledTalk[language]; rules != nil {
		text := " " + strings.Join(words, " ") + " "
		for _, r := range rules() {
			if r.words.MatchString(text) {
				return r.talk
			}
		}
	}
	if language == "en" && x.isNonsense(message) {
		return Nonsense
	}
	return NoTalk
}

// shortIs is a short form of "is" that is no genitive.
var shortIs = regexp.MustCompile(`\b(what|who|where|when|how|why|it|that|there|here|he|she|name)'s\b`)

// talkWords are a message's words, folded and with short forms written out.
func talkWords(message string, english bool) []string {
	folded := Fold(message)
	if english {
		folded = shortIs.ReplaceAllString(folded, "$1 is")
	}
	var out []string
	for _, t := range cutTokens(folded, english) {
		if t.kind < clauseEnd {
			out = append(out, t.text)
		}
	}
	return out
}

// isNonsense reports whether hardly a word of a message is in any dictionary.
func (x *Lexicon) isNonsense(message string) bool {
	a := x.Acts(message)
	return a.Strange >= nonsenseWords && float64(a.Strange) >= nonsenseShare*float64(a.Words) || a.Strange == 1 && a.Words == 1
}
