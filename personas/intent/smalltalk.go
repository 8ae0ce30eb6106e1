package intent

import (
	"embed"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

// Talk describes a kind of small talk for traces.
type Talk string

// The code distinguishes these kinds of small talk. The files in smalltalk define others.
const (
	NoTalk      Talk = ""
	AskBot      Talk = "a question about the model"
	AskFeeling  Talk = "a question about how the character feels"
	AskGame     Talk = "a question about the game"
	AskPersonal Talk = "a question about a personal matter"
	AskWorld    Talk = "a question about the surroundings"
	AboutPlayer Talk = "something about the player"
	Apology     Talk = "an apology"
	Attack      Talk = "an attack"
	BadNews     Talk = "bad news"
	Complaint   Talk = "a complaint"
	Farewell    Talk = "a farewell"
	Gesture     Talk = "a gesture"
	GoodNews    Talk = "good news"
	Nonsense    Talk = "nonsense"
	Puzzlement  Talk = "puzzlement"
	Remark      Talk = "a remark"
	Silence     Talk = "silence"
	Weariness   Talk = "how the player feels"
	Weather     Talk = "the weather"
	Wonder      Talk = "wonder"
)

// IsQuestion reports whether t is a question to the character.
func (t Talk) IsQuestion() bool { return strings.HasPrefix(string(t), "a question about ") }

const (
	talkMaxWords  = 40
	nonsenseShare = 0.6
	nonsenseWords = 2
)

type talkRule struct {
	Kind     Talk
	Whole    bool
	Patterns []string
	compiled func() *regexp.Regexp
}

type talkTable []talkRule

type talkTexts struct {
	SmallTalk  talkTable `yaml:"small_talk"`
	Hostility  talkTable
	NotHostile []string `yaml:"not_hostile"` // words that make an attack harmless
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

func (t talkTable) find(words string) Talk {
	for i := range t {
		if t[i].compiled().MatchString(words) {
			return t[i].Kind
		}
	}
	return NoTalk
}

const minTalkProbability = 0.2

// SmallTalk returns the kind of small talk in a message. With byLooks, the classifier judges
// English messages without a matching rule. In a message with several sentences, the last question
// decides.
func (r *Reader) SmallTalk(message, language string, byLooks bool) Talk {
	read := r.lexicon.Read(message)
	if read.isHostile(language) {
		return Attack
	}
	question := lastQuestion(message)
	if question != "" {
		read = r.lexicon.Read(question)
	}
	talk := read.SmallTalk(language)
	statements := []Talk{AboutPlayer, Weariness, BadNews, GoodNews, Apology, Complaint, Remark, Nonsense}
	isTold := slices.Contains(statements, talk)
	if talk != NoTalk && (question == "" || !isTold) || language != "en" || !byLooks {
		return talk
	}
	profile := r.kinds.profileOf(read)
	switch {
	case profile.acts.AboutYou:
		return AskPersonal
	case profile.acts.Question || profile.asksFacts:
		return AskWorld
	case math.Exp(profile.kinds[aside]) < minTalkProbability:
		return NoTalk
	case read.speaksOfSelf():
		return AboutPlayer
	}
	return Remark
}

func lastQuestion(message string) string {
	end := strings.LastIndexAny(message, "?？")
	if end < 0 {
		return ""
	}
	text := strings.TrimRight(message[:end], "?？! ")
	if text = strings.TrimSpace(text[1+strings.LastIndexAny(text, ".!?？\n…"):]); text == "" {
		return ""
	}
	return text + "?"
}

// SmallTalk applies the rules of a language, a primary BCP 47 subtag. A text of more than
// talkMaxWords words is NoTalk.
func (r *Reading) SmallTalk(language string) Talk {
	if spans := splitSpans(r.text); len(spans) == 1 && spans[0].action {
		return Gesture
	}
	words := talkWords(r.text, language == "en")
	switch {
	case len(words) == 0 && strings.TrimSpace(r.text) == "", len(words) > talkMaxWords:
		return NoTalk
	case len(words) == 0 && strings.ContainsAny(r.text, "?？"), language == "en" && len(words) == 1 && words[0] == "what":
		return Puzzlement
	case len(words) == 0:
		return Silence
	}
	if texts := r.lexicon.talk[language]; texts != nil {
		if talk := texts().SmallTalk.find(joinWords(words)); talk != NoTalk {
			return talk
		}
	}
	if language == "en" && r.isNonsense() {
		return Nonsense
	}
	return NoTalk
}

var shortIs = plaintext.Pattern(`\b(what|who|where|when|how|why|it|that|there|here|he|she|name)'s\b`)

func talkWords(message string, english bool) []string {
	folded := Fold(message)
	if english && strings.Contains(folded, "'s") {
		folded = shortIs().ReplaceAllString(folded, "$1 is")
	}
	return wordsOf(cutTokens(folded, english))
}

func joinWords(words []string) string { return " " + strings.Join(words, " ") + " " }

// isNonsense counts function words as known. "There are crisps in the glovebox" is not nonsense.
func (r *Reading) isNonsense() bool {
	strange, all := r.Acts().Strange, len(Words(r.text))
	return strange >= nonsenseWords && float64(strange) >= nonsenseShare*float64(all) || strange == 1 && all == 1
}

// isHostile recognizes explicit attacks in languages other than English. Actions between asterisks
// count as speech.
func (r *Reading) isHostile(language string) bool {
	texts := r.lexicon.talk[language]
	if texts == nil {
		return false
	}
	words := talkWords(strings.ReplaceAll(r.text, "*", " "), false)
	if len(words) > talkMaxWords {
		return false
	}
	text := joinWords(words)
	isHarmless := func(phrase string) bool { return strings.Contains(text, " "+phrase) }
	return texts().Hostility.find(text) != NoTalk && !slices.ContainsFunc(texts().NotHostile, isHarmless)
}

// talkCriteria finds criteria such as "pays her a compliment". A compliment is then more than small
// talk.
var talkCriteria = map[Talk]func() *regexp.Regexp{
	"a compliment": plaintext.Pattern(`(?i)\b(?:compliment|flatter|prais|admir)`),
	"a good wish":  plaintext.Pattern(`(?i)\bwish(?:es)? (?:her|him|them|it|\w+) (?:well|luck|a good)`),
	"sympathy":     plaintext.Pattern(`(?i)\b(?:comfort(?:s|ed|ing| her| him| them)\b|consol|condol|sympath)`),
	"agreement":    plaintext.Pattern(`(?i)\b(?:agree|accept|promis|swears?\b|says yes)`),
	"a joke":       plaintext.Pattern(`(?i)\bjokes?\b`),
	Apology:        plaintext.Pattern(`(?i)\b(?:apolog|sorry\b)`),
	Farewell:       plaintext.Pattern(`(?i)\b(?:goodbye|farewell)`),
}

const maxTalkClauses = 2

func findTalkChoices(choices []choice) map[Talk]int {
	out := make(map[Talk]int)
	for talk, words := range talkCriteria {
		isNamed := func(c choice) bool {
			return slices.ContainsFunc(c.criteria, func(text string) bool { return words().MatchString(clipText(text)) })
		}
		k := slices.IndexFunc(choices, isNamed)
		if k < 0 || slices.ContainsFunc(choices[k+1:], isNamed) {
			continue
		}
		if c := &choices[k]; (c.kind == pass || c.kind == redirect) && !c.loses {
			out[talk] = k
		}
	}
	return out
}

func (r *Reader) decideTalk(place *Place, m *measurement, v Verdict) Verdict {
	if len(m.state.talkChoices) == 0 || v.Decision != personas.AsideName || v.Answer != nil || v.Language != "" {
		return v
	}
	if m.asksHelp || m.clauses > maxTalkClauses || m.message.acts.Contempt || m.message.acts.Question {
		return v
	}
	talk := r.SmallTalk(m.text, m.state.language, false)
	k, named := m.state.talkChoices[talk]
	if !named || place.LastTry && m.state.choices[k].kind == redirect { // the last try is not lost by small talk
		return v
	}
	v = r.verdict(place, m, k, 1)
	v.Why = fmt.Sprintf("%s: %s, which its criterion names", v.Decision, talk)
	return v
}
