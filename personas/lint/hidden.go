package lint

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The checks of characters that nobody sees.

var hiddenCharacter = Check{
	Name: "hidden-character", Severity: Warning, wording: true, mean: findHidden,
	Summary: "A character that does not show, or turns the direction of writing, has no place in a name.",
	Why: "A control character or a mark for the direction of writing in a name is seen by nobody, but two names that look alike differ by it, and a mark can make a list or a log read backwards. In longer texts it can hide from a reader what a model is told. " +
		"It mostly comes along when a text is copied from elsewhere. Remove it; the marks that Arabic, Hebrew and emoji need are not reported.",
	Good: "label: Inside the walls", Bad: "label: \"Inside\\u202e the walls\"",
}

// findHidden reports the first hidden character of each text.
func findHidden(s *checkContext, report reporter) {
	for _, t := range s.allTexts() {
		isName := t.member == "name" || t.member == "label" || t.member == "key"
		at, size := findHiddenCharacter(t.value, isName)
		if at < 0 {
			continue
		}
		r, _ := utf8.DecodeRuneInString(t.value[at:])
		report(t.pathOf(), "this text has %s in it, which nobody sees; remove it", describeHidden(r)).markPiece(at, at+size).
			offerValue(t.pathOf(), func() string { return removeHidden(t.value, isName) })
	}
}

// findHiddenCharacter finds the first character that is not seen; -1 for none.
func findHiddenCharacter(text string, isName bool) (at, size int) {
	if isPlainASCII(text) {
		return -1, 0
	}
	rightToLeft := strings.ContainsFunc(text, isRightToLeft)
	for i, r := range text {
		if isHiddenIn(r, isName, rightToLeft) {
			return i, utf8.RuneLen(r)
		}
	}
	return -1, 0
}

func isPlainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7f || c < ' ' {
			return false
		}
	}
	return true
}

func isRightToLeft(r rune) bool {
	return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
}

// isHiddenIn tells whether a character is not to be in a text. Lines and tabs are in texts
// but not in names. The marks that single words of other directions need are taken where
// such words are.
func isHiddenIn(r rune, isName, rightToLeft bool) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return isName
	case unicode.Is(unicode.Cc, r), r == '\u200b', r == '\u2060', r == '\ufeff', r == '\u2028', r == '\u2029', r == '\u00ad':
		return isName || unicode.Is(unicode.Cc, r)
	case r >= '\u202a' && r <= '\u202e':
		return true
	case r >= '\u2066' && r <= '\u2069', r == '\u200e', r == '\u200f', r == '\u061c':
		return !rightToLeft
	}
	return r >= 0xe0000 && r <= 0xe007f && isName
}

func removeHidden(text string, isName bool) string {
	rightToLeft := strings.ContainsFunc(text, isRightToLeft)
	return strings.Map(func(r rune) rune {
		switch {
		case !isHiddenIn(r, isName, rightToLeft):
			return r
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		}
		return -1
	}, text)
}

func describeHidden(r rune) string {
	what := "the character"
	switch {
	case r == '\n' || r == '\r':
		return "a line break"
	case r == '\t':
		return "a tab"
	case unicode.Is(unicode.Cc, r):
		what = "the control character"
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\u200e', r == '\u200f', r == '\u061c':
		what = "the mark for the direction of writing"
	}
	return fmt.Sprintf("%s U+%04X", what, r)
}
