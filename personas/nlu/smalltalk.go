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
	talkMaxWords       = 40 // of a message that may be small talk
	nonsenseShare      = 0.6
	nonsenseWords      = 2
)

// IsQuestion reports whether a kind is a question to the character.
func (t Talk) IsQuestion() bool {
	switch t {
	case AskAge, AskFamily, AskOrigin, AskTaste, AskWork, AskDay, AskFeeling, AskPersonal, AskOpinion, AskTime, AskPrice, AskWorld, AskSenses, AskPeople, AskSince, AskThere, AskFact:
		return true
	}
	return false
}

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

// talkTable are the rules of a language, ready to be tried. An expression is tried
// only behind a word with which it can begin.
type talkTable struct {
	lines  []talkLine
	inside beginTable // lines that may stand anywhere in a message
	whole  beginTable // lines that must be the whole message
}

// beginTable are lines by the words with which they begin, see firstWords.
type beginTable struct {
	by  map[string][]int
	any []int // lines that may begin with any word
}

func (b *beginTable) addLine(n int, line string) {
	words := firstWords(line)
	if words == nil {
		b.any = append(b.any, n)
	}
	for _, first := range words {
		b.by[first] = append(b.by[first], n)
	}
}

// eachLine calls try with the lines that may begin as a text does.
func (b *beginTable) eachLine(text string, try func(lines []int, text string)) {
	one, two := firstFields(text, 1), firstFields(text, 2)
	try(b.by[one], text)
	if two != one {
		try(b.by[two], text)
	}
	try(b.any, text)
}

// talkLine is one expression of a rule. It is compiled when it is first tried: of some
// hundred, few ever are.
type talkLine struct {
	rule  int
	talk  Talk
	words func() *regexp.Regexp
}

// prepareTalk returns the tables of all languages, each made when it is first needed.
func prepareTalk(all map[string][]talkRule) map[string]func() *talkTable {
	out := make(map[string]func() *talkTable, len(all))
	for language, rules := range all {
		out[language] = sync.OnceValue(func() *talkTable { return newTalkTable(rules) })
	}
	return out
}

func newTalkTable(rules []talkRule) *talkTable {
	t := &talkTable{inside: beginTable{by: make(map[string][]int)}, whole: beginTable{by: make(map[string][]int)}}
	for i, r := range rules {
		for line := range strings.SplitSeq(r.words, "\n") {
			t.addLine(i, r, line)
		}
	}
	return t
}

func (t *talkTable) addLine(rule int, r talkRule, line string) {
	end, where := " ", &t.inside
	if r.whole {
		end, where = " $", &t.whole
	}
	where.addLine(len(t.lines), line)
	t.lines = append(t.lines, talkLine{rule, r.talk, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(?:" + line + ")" + end) })})
}

// find returns the kind of the first rule of which a line is found in words.
func (t *talkTable) find(words []string) Talk {
	best := talkLine{rule: len(t.lines)}
	text := strings.Join(words, " ") + " "
	try := func(lines []int, rest string) {
		for _, i := range lines {
			if l := &t.lines[i]; l.rule < best.rule && l.words().MatchString(rest) {
				best = *l
			}
		}
	}
	t.whole.eachLine(text, try)
	for at, rest := 0, text; at < len(words); at++ {
		t.inside.eachLine(rest, try)
		rest = rest[len(words[at])+1:]
	}
	return best.talk
}

// SmallTalk says which kind of small talk a message is in a language (its BCP 47
// code, the first part); NoTalk for none, and for a long message.
func (x *Lexicon) SmallTalk(message, language string) Talk {
	return x.findTalk(message, language, func() *Reading { return x.Read(message) })
}

// SmallTalk is Lexicon.SmallTalk of the text.
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
		if talk := table().find(words); talk != NoTalk {
			return talk
		}
	}
	if language == "en" && read().isNonsense() {
		return Nonsense
	}
	return NoTalk
}

// A riddle with its answer behind it, and who asks the character something instead.
var (
	riddle = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:why (?:did|do|does|don'?t|didn'?t|can'?t|was|were|are)\b([^?]{5,80}?)(?:\?|\.\.\.|…)\s*(?:to|because|'?cause|cos|cuz|bc|so that|nobody|no one)\b|what (?:do|did) (?:you|u) (?:call|get)\b[^?]{3,80}\?\s*\S)[^?]*$`)
	})
	ofYou = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(?:you|u|your|ur|i|me|my|we)\b`) })
)

// TellsRiddle reports whether a message asks a riddle and answers it (docs/decisions/offline.md, riddle).
func TellsRiddle(message string) bool {
	if !strings.ContainsAny(message, "?…") && !strings.Contains(message, "...") {
		return false
	}
	found := riddle().FindStringSubmatch(message)
	return found != nil && !ofYou().MatchString(found[1])
}

// idleGestures are gestures that want nothing.
var idleGestures = map[string]bool{
	"waves": true, "wave": true, "smiles": true, "smile": true, "nods": true, "nod": true, "shrugs": true, "shrug": true, "sighs": true, "sigh": true, "laughs": true, "laugh": true, "winks": true, "wink": true,
	"grins": true, "grin": true, "yawns": true, "yawn": true, "coughs": true, "cough": true, "waits": true, "wait": true, "stares": true, "blinks": true, "giggles": true, "chuckles": true, "frowns": true, "shivers": true,
}

// gestureOf says of a gesture whether it wants anything.
func gestureOf(action string) Talk {
	words := talkWords(action, true)
	if len(words) > 0 && len(words) <= 3 && idleGestures[words[0]] {
		return SmallGesture
	}
	return Gesture
}

// shortIs is a short form of "is" that is no genitive.
var shortIs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(what|who|where|when|how|why|it|that|there|here|he|she|name)'s\b`)
})

// talkWords are a message's words, folded and with short forms written out.
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

// isNonsense reports whether hardly a word of a text is in any dictionary; words that hold
// sentences together count too: "there are crisps in the glovebox" is none.
func (r *Reading) isNonsense() bool {
	var a Acts
	for _, s := range r.listSpans() {
		r.lexicon.countWords(&a, s.tokens)
	}
	all := float64(len(Words(r.text)))
	return a.Strange >= nonsenseWords && float64(a.Strange) >= nonsenseShare*all || a.Strange == 1 && all == 1
}

// Attacks on whom the speaker talks to, in languages other than English, of which Acts tells
// them by its grammar.
const (
	Insulting   Talk = "an insult"
	Threatening Talk = "a threat or an attack"
)

// hostileRules are, by language, the words of attacks: of the second person, or called at it.
// What is said of somebody else, of oneself, or denied is none.
var hostileRules = map[string][]talkRule{
	"de": germanHostility, "fr": frenchHostility, "es": spanishHostility, "pt": portugueseHostility, "it": italianHostility,
}

var saidOfSelf = map[string][]string{"de": germanOwn, "fr": frenchOwn, "es": spanishOwn, "pt": portugueseOwn, "it": italianOwn}

// KnowsHostility reports whether Hostility knows attacks in a language.
func KnowsHostility(language string) bool { return hostileRules[language] != nil }

// Hostility says of a text in a language other than English whether it insults, threatens or
// attacks the one spoken to in so many words; NoTalk if not. A starred action is read like
// what the speaker says that he does.
func (r *Reading) Hostility(language string) Talk {
	table := r.lexicon.hostile[language]
	if table == nil {
		return NoTalk
	}
	words := talkWords(strings.ReplaceAll(r.text, "*", " "), false)
	if len(words) == 0 || len(words) > talkMaxWords {
		return NoTalk
	}
	talk := table().find(words)
	if talk == NoTalk {
		return NoTalk
	}
	text := " " + strings.Join(words, " ") + " "
	for _, own := range saidOfSelf[language] {
		if strings.Contains(text, " "+own) {
			return NoTalk
		}
	}
	return talk
}
