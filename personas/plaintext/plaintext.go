// Package plaintext truncates, joins, compares, quotes and cleans texts. Lengths are in Unicode
// code points. The package does not measure terminal cells and does not parse markup.
package plaintext

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Marks for omitted text.
const (
	Ellipsis = "…"
	Dots     = "..." // for ASCII-only messages
)

// ClipWithin truncates a text to at most limit characters, including the ellipsis. A limit below 1
// is treated as 1.
func ClipWithin(s string, limit int) string {
	limit = max(limit, 1)
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	return strings.TrimSpace(s[:indexCharacter(s, limit-1)]) + Ellipsis
}

// ClipAfter returns the first count characters of a text. A truncated text ends with mark, beyond
// the count.
func ClipAfter(s string, count int, mark string) string {
	if len(s) <= count {
		return s
	}
	if end := indexCharacter(s, count); end < len(s) {
		return s[:end] + mark
	}
	return s
}

func indexCharacter(s string, number int) int {
	for i := range s {
		if number <= 0 {
			return i
		}
		number--
	}
	return len(s)
}

// JoinLines replaces each sequence of white space and control characters with one space. Both ends
// are trimmed. Invalid UTF-8 becomes U+FFFD.
func JoinLines(s string) string {
	words := strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	})
	return strings.Join(words, " ")
}

// KeepPrintable removes invisible characters other than white space. The result is for searches,
// because emoji and Persian text may look different. Invalid UTF-8 becomes U+FFFD.
func KeepPrintable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// IsBlank reports whether a text shows nothing. Zero-width joiners and the blank letters of Hangul
// and Braille count as blank.
func IsBlank(s string) bool {
	const brailleBlank = '\u2800'
	return !strings.ContainsFunc(s, func(r rune) bool {
		isInvisible := unicode.In(r, unicode.Z, unicode.Cc, unicode.Cf,
			unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
		return r != brailleBlank && !unicode.IsSpace(r) && !isInvisible
	})
}

// EditDistance returns the optimal string alignment distance of two words. The edits are insert,
// delete, replace and swap of neighbours. The time is proportional to the product of both lengths,
// so callers must bound the lengths.
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

// Pattern returns a function that compiles a regular expression on first use. Compiling all
// patterns at startup would delay every command. The function panics if text is invalid.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// Compose returns a text in Unicode normalization form C.
func Compose(s string) string { return norm.NFC.String(s) }

// FoldName normalizes a name for comparison. FoldName trims spaces, lowercases, and applies
// normalization form C.
func FoldName(name string) string {
	return Compose(strings.ToLower(Compose(strings.TrimSpace(name))))
}

// SameName reports whether two names are equal after FoldName.
func SameName(a, b string) bool { return FoldName(a) == FoldName(b) }

// IsObeyed reports whether a terminal interprets or hides a rune. Joiners, variation selectors and
// the two simple direction marks return false, because emoji and several scripts need them. Unicode
// tag characters (U+E0000 to U+E007F) return true, because models read hidden text in them.
func IsObeyed(r rune) bool {
	switch {
	case r < ' ' || r >= 0x7f && r <= 0x9f: // C0, DEL, C1
		return true
	case r < 0xad: // printable, the common case
		return false
	}
	i, _ := slices.BinarySearchFunc(ignorable, r, func(span [2]rune, r rune) int {
		return cmp.Compare(span[1], r)
	})
	return i < len(ignorable) && r >= ignorable[i][0]
}

// ignorable contains Default_Ignorable_Code_Point and Bidi_Control of Unicode 16. Characters that
// scripts or emoji need are omitted.
var ignorable = [][2]rune{
	{0x00ad, 0x00ad},   // soft hyphen
	{0x061c, 0x061c},   // Arabic letter mark
	{0x115f, 0x1160},   // fillers
	{0x17b4, 0x17b5},   // inherent vowels
	{0x180e, 0x180e},   // Mongolian vowel separator
	{0x200b, 0x200b},   // zero-width space
	{0x202a, 0x202e},   // embeddings, overrides
	{0x2060, 0x206f},   // word joiner, invisible operators, isolates, deprecated format signs
	{0x3164, 0x3164},   // filler
	{0xfeff, 0xfeff},   // byte order mark
	{0xffa0, 0xffa0},   // filler
	{0xfff0, 0xfffb},   // unassigned, annotations
	{0x1bca0, 0x1bca3}, // shorthand format controls
	{0x1d173, 0x1d17a}, // musical format controls
	{0xe0000, 0xe00ff}, // tags
	{0xe01f0, 0xe0fff}, // unassigned
}
