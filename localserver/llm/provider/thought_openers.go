package provider

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
)

// modelsThatThinkAloud matches names of thinking models. Their servers often leave a thought in the text,
// with an end mark but no begin mark.
var modelsThatThinkAloud = plaintext.Pattern(`(?i)(?:^|[^a-z0-9])(?:r1|qwq|thinking|reasoning|reasoner|thinker|magistral|deepthink|marco-o1|openthinker)(?:[^a-z0-9]|$)`)

// fillers may precede an opener.
var fillers = []string{"okay", "ok", "alright", "hmm", "hmmm", "well", "so", "now", "right", "first"}

// speakingVerbs announce a model's answer.
var speakingVerbs = []string{"respond", "reply", "answer", "write", "produce", "output", "continue", "craft", "stay", "speak", "judge", "keep"}

// openers are phrases with which models begin thoughts, and which no character says to a player. A
// phrase lists the alternatives for each word, and nil matches any word.
var openers = [][][]string{
	{{"the"}, strings.Fields("user player system user's player's")},
	{{"user", "player"}, strings.Fields("says said wants asks asked greets is has offers gives just message")},
	{{"user's", "player's"}, nil},
	{{"i", "we"}, strings.Fields("should must will can could"), speakingVerbs},
	{{"i", "we"}, strings.Fields("need have want am are ought"), {"to"}, speakingVerbs},
	{{"i", "we"}, {"am", "are"}, strings.Fields("asked supposed going"), {"to"}, speakingVerbs},
	{{"i'm", "we're"}, strings.Fields("asked supposed going"), {"to"}, speakingVerbs},
	{{"let"}, {"me", "us"}, strings.Fields("think analyze analyse break figure consider craft respond reply write")},
	{{"let's"}, strings.Fields("think analyze analyse break figure consider craft respond reply write")},
}

var chineseOpeners = []string{"用户", "好的，用户", "好，用户", "嗯，用户"}

// soundsAloud reports whether a text begins like a thought. known is false if the text is too short
// to decide.
func soundsAloud(text string, final bool) (aloud, known bool) {
	text = strings.ToLower(strings.ReplaceAll(strings.TrimLeftFunc(text, unicode.IsSpace), "’", "'"))
	if first, size := utf8.DecodeRuneInString(text); size == 0 || !unicode.IsLetter(first) {
		return false, final || size > 0
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	if last := strings.TrimRightFunc(text, func(r rune) bool { return unicode.IsLetter(r) || r == '\'' }); last == text || final {
		words = append(words, " ") // The last word has ended.
	}
	for i := 0; i < 3 && len(words) > 1 && slices.Contains(fillers, words[0]); i++ {
		words = words[1:]
	}
	maybe := false
	for _, opening := range openers {
		is, may := matchWords(words, opening)
		if is {
			return true, true
		}
		maybe = maybe || may
	}
	for _, opening := range chineseOpeners {
		if strings.HasPrefix(text, opening) {
			return true, true
		}
		maybe = maybe || strings.HasPrefix(opening, text)
	}
	if len(words) == 1 { // The word may be the beginning of a filler.
		maybe = maybe || slices.ContainsFunc(fillers, func(f string) bool { return strings.HasPrefix(f, words[0]) })
	}
	return false, final || !maybe
}

// matchWords reports whether words match an opener, and whether they may match with more text. The
// last word may be incomplete.
func matchWords(words []string, opening [][]string) (is, may bool) {
	for i, choices := range opening {
		switch {
		case i == len(words)-1:
			return false, words[i] == " " || choices == nil || slices.ContainsFunc(choices, func(c string) bool { return strings.HasPrefix(c, words[i]) })
		case choices != nil && !slices.Contains(choices, words[i]):
			return false, false
		}
	}
	return true, false
}
