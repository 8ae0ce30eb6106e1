// Package plaintext shortens texts, makes one line of them and tells how far two
// words are apart, quotes words for a shell, breaks the control tokens of chat templates, and
// knows the characters that are obeyed or not seen, for every room alike. It counts characters: Unicode code
// points, as the limits of the interface do. It knows no cells of a terminal and
// no markup.
package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The marks that stand for what was left out.
const (
	Ellipsis = "…"
	Dots     = "..." // in messages that stay within ASCII
)

// ClipWithin returns a text of at most limit characters, the mark included: for
// places that have no room for more. Where it cuts, an ellipsis ends the text, and
// no space is before it. A limit below 1 is 1.
func ClipWithin(s string, limit int) string {
	limit = max(limit, 1)
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	return strings.TrimSpace(s[:indexCharacter(s, limit-1)]) + Ellipsis
}

// ClipAfter returns the first kept characters of a text, and the mark behind them if
// there are more: for texts that are shown to people, where the mark costs nothing.
func ClipAfter(s string, kept int, mark string) string {
	if len(s) <= kept {
		return s
	}
	if end := indexCharacter(s, kept); end < len(s) {
		return s[:end] + mark
	}
	return s
}

// indexCharacter is the byte at which the character with this number begins,
// counted from 0; the end of a text that has fewer.
func indexCharacter(s string, number int) int {
	for i := range s {
		if number <= 0 {
			return i
		}
		number--
	}
	return len(s)
}

// JoinLines makes one line of a text: white space and control characters become
// single spaces, none at its ends. What is no valid UTF-8 becomes U+FFFD.
func JoinLines(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// KeepPrintable leaves out what cannot be seen and is no white space: control
// characters, those that turn the direction of writing, and those that join
// letters. It is for texts of strangers in which something must be found, such as
// a key; a text in Persian or with emoji may look different afterwards. What is no valid
// UTF-8 becomes U+FFFD.
func KeepPrintable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// IsBlank reports whether a text shows nothing: it is empty, or has only white space, control
// characters and others that take room at most, such as a no-break space, a zero-width
// joiner and the blanks of Hangul and Braille.
func IsBlank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !isBlankRune(r) })
}

const brailleBlank = '\u2800'

func isBlankRune(r rune) bool {
	return r == brailleBlank || unicode.IsSpace(r) ||
		unicode.In(r, unicode.Z, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// EditDistance counts the characters to add, drop, change or swap with their
// neighbour to get from one word to the other (optimal string alignment). It takes
// time in the product of the lengths: callers bound them.
func EditDistance(from, to string) int {
	a, b := []rune(from), []rune(to)
	older, before, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		older, before, row = before, row, older
		row[0] = i + 1
		for j := range b {
			change := before[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, before[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], older[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
