package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// voice gives a text that comes in pieces as whole sentences, clean and without
// marks that are only for the eye. say is told each, and whether it is the first.
type voice struct {
	say     func(sentence string, first bool)
	cleaner Cleaner
	heard   strings.Builder // all that was cleaned
	pending string
	spoken  bool
}

// add takes words as they come.
func (v *voice) add(piece string) { v.take(v.cleaner.Add(piece)) }

// end says what is left.
func (v *voice) end() {
	v.take(v.cleaner.End())
	v.utter(v.pending)
	v.pending = ""
}

func (v *voice) take(clean string) {
	v.heard.WriteString(clean)
	v.pending += clean
	for {
		n := sentenceEnd(v.pending)
		if n == 0 {
			return
		}
		v.utter(v.pending[:n])
		v.pending = v.pending[n:]
	}
}

func (v *voice) utter(text string) {
	text = strings.Join(strings.Fields(unmarked(text)), " ")
	if text == "" {
		return
	}
	v.say(text, !v.spoken)
	v.spoken = true
}

// rest is what a whole text has beyond what was heard; false when something else
// was heard, then it is the whole text.
func (v *voice) rest(whole string) (string, bool) {
	if rest, begins := strings.CutPrefix(CleanLines(whole), v.heard.String()); begins {
		return rest, true
	}
	return whole, false
}

// sentenceEnd is how much of a text is a whole sentence: up to a line end, or up
// to a mark that ends one with a space behind it. 0 is none yet.
func sentenceEnd(text string) int {
	ended := false
	for i, r := range text {
		switch {
		case r == '\n':
			return i + 1
		case ended && unicode.IsSpace(r):
			return i + utf8.RuneLen(r)
		case strings.ContainsRune(".!?…", r):
			ended = i > 0 && !initial(text[:i])
		case strings.ContainsRune("。！？", r): // Nothing stands behind these.
			return i + utf8.RuneLen(r)
		case strings.ContainsRune("\"'”’)*_»", r): // What closes belongs to its sentence.
		default:
			ended = false
		}
	}
	return 0
}

// initial tells whether a text ends in a number or a single letter, whose dot
// ends no sentence: "1." in a list, "J. Doe".
func initial(text string) bool {
	word := text[strings.LastIndexFunc(text, unicode.IsSpace)+1:]
	digits := strings.Trim(word, "0123456789") == ""
	return word != "" && digits || utf8.RuneCountInString(word) == 1
}

// unmarked takes away the marks of emphasis, code and lists, which are read
// aloud as noise. What is said stays.
func unmarked(text string) string {
	text = strings.TrimSpace(text)
	for _, mark := range []string{"# ", "## ", "### ", "> ", "- ", "* "} {
		text = strings.TrimPrefix(text, mark)
	}
	return strings.NewReplacer("**", "", "__", "", "*", "", "`", "").Replace(text)
}
