// Package plaintext shortens texts, joins their lines, measures the edit distance of words, quotes
// words for a shell, breaks the control tokens of chat templates, and classifies characters that
// are invisible or act as commands. It counts characters as Unicode code points, like the limits of
// the interface. It does not measure terminal cells and does not parse markup.
package plaintext

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Marks for omitted text.
const (
	Ellipsis = "…"
	Dots     = "..." // in messages that stay within ASCII
)

// ClipWithin returns a text of at most limit characters, including the mark, for places with a
// fixed width. A cut text ends in an ellipsis without a space before it. A limit below 1 counts as
// 1.
func ClipWithin(s string, limit int) string {
	limit = max(limit, 1)
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	return strings.TrimSpace(s[:indexCharacter(s, limit-1)]) + Ellipsis
}

// ClipAfter returns the first kept characters of a text, followed by the mark if there are more.
// Use it for texts that are shown to people, when the length of the mark does not count.
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

// JoinLines puts a text on one line: sequences of white space and control characters become single
// spaces, and are removed at the ends. Invalid UTF-8 becomes U+FFFD.
func JoinLines(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// KeepPrintable removes invisible characters other than white space: control characters, direction
// marks, and joiners. It is for searching untrusted texts, for example for a key; a text in Persian
// or with emoji may look different afterwards. Invalid UTF-8 becomes U+FFFD.
func KeepPrintable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// IsBlank reports whether a text is empty or consists only of white space, control characters and
// other invisible or blank ones, such as a no-break space, a zero-width joiner and the blanks of
// Hangul and Braille.
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
