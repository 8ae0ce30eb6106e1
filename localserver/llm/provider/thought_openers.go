package provider

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// aloudModels are names of models whose servers often leave a thought in the text of which
// only the end is marked.
var aloudModels = regexp.MustCompile(`(?i)(?:^|[^a-z0-9])(?:r1|qwq|thinking|reasoning|reasoner|thinker|magistral|deepthink|marco-o1|openthinker)(?:[^a-z0-9]|$)`)

// opener is how models begin to think aloud, in the words in which no character speaks to a
// player.
var opener = regexp.MustCompile(`(?i)^(?:(?:okay|ok|alright|all right|hmm+|well|so|now|right|got it|first|let me see)[,.!…]*\s+){0,3}` +
	`(?:the (?:user|player|human|character|system prompt|instructions?|prompt|task|assistant)\b|(?:user|player)(?:'s)? \w+` +
	`|(?:i|we)(?:['’]m| am|['’]re| are)? (?:need|should|have|must|will|asked|supposed|going|want)(?: to)? (?:respond|reply|answer|write|produce|output|continue|craft|stay in character|speak as|judge|keep (?:it|in))\b` +
	`|let(?: me|['’]s| us) (?:think|analy[sz]e|break (?:this|it) down|figure|consider|craft|respond|reply|write)\b)` +
	`|^(?:好的?[，,]\s*|嗯[，,]\s*)?用户`)

// openerWords are the first words of openers; openerReach is how much of a text is looked at.
var openerWords = map[string]bool{
	"okay": true, "ok": true, "alright": true, "all": true, "well": true, "so": true, "now": true, "right": true, "got": true, "first": true, "let": true,
	"the": true, "user": true, "player": true, "i": true, "we": true, "hmm": true, "hmmm": true,
}

const openerReach = 40

// soundsAloud reports whether a text begins as thoughts do; known is false while it is too
// short for that to be told.
func soundsAloud(text string, final bool) (aloud, known bool) {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	first, _ := utf8.DecodeRuneInString(text)
	switch {
	case opener.MatchString(text):
		return true, true
	case final || len(text) > openerReach || text != "" && !unicode.IsLetter(first):
		return false, true
	case strings.HasPrefix(text, "好") || strings.HasPrefix(text, "嗯"):
		return false, false
	}
	word, _, whole := cutWord(strings.ToLower(strings.ReplaceAll(text, "’", "'")))
	if whole {
		return false, !openerWords[word]
	}
	for opening := range openerWords {
		if strings.HasPrefix(opening, word) {
			return false, false
		}
	}
	return false, true
}

// cutWord returns the first word of a text up to an apostrophe, and whether it has ended.
func cutWord(text string) (word, rest string, whole bool) {
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		return text, "", false
	}
	return text[:end], text[end:], true
}
