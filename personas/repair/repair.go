// Package repair guesses what a writer meant if a text cannot be read as YAML or as JSON: it finds
// the common mistake and the corrected line. It examines the characters around the failure and
// tries corrections; the caller passes in the reader that reports whether one helps. It never
// changes a text itself.
package repair

import (
	"strings"
	"unicode/utf8"
)

// Mistake is one thing that keeps a text from being read. All places are bytes of the
// text, and ends are just behind.
type Mistake struct {
	At, Until  int    // the range to point to
	Start, End int    // the range to replace
	Right      string // by what
	Says       string // the mistake, in words
	Unsure     bool   // the writer may have meant something else, so that nothing is changed without asking
}

// Reader returns the byte offset at which a text cannot be read any further, -1 if the whole text
// can be read. asked is false if the reader's budget is used up.
type Reader func(text string) (failedAt int, asked bool)

// Apply returns the corrected text.
func (m *Mistake) Apply(text string) string {
	return text[:m.Start] + m.Right + text[m.End:]
}

// Line returns the first line that the mistake changes, as it should be.
func (m *Mistake) Line(text string) string {
	first, end := lineStart(text, m.Start), m.Start+len(m.Right)
	for m.Start < m.End && m.Right != "" && first+1 < end && text[m.Start] == '\n' && m.Right[0] == '\n' {
		first++
	}
	right := m.Apply(text)
	return strings.TrimSpace(right[first:lineEnd(right, max(first, min(m.Start, len(right))))])
}

// choose returns the first mistake without which the whole text can be read; else the one without
// which it can be read furthest beyond the failure; else the first one that lets the reader pass the
// failure at all.
func choose(text string, failedAt int, mistakes []Mistake, read Reader) (best Mistake, ok bool) {
	reach := failedAt
	for i := range mistakes {
		m := &mistakes[i]
		at, asked := read(m.Apply(text))
		if !asked {
			break
		}
		if at < 0 {
			return *m, true
		}
		end := m.Start + len(m.Right)
		if at <= end {
			continue
		}
		if behind := at - end + m.End; !ok || behind > reach {
			best, ok, reach = *m, true, max(behind, reach)
		}
	}
	return best, ok
}

func lineStart(text string, at int) int {
	return strings.LastIndexAny(text[:min(at, len(text))], "\r\n") + 1
}

func lineEnd(text string, at int) int {
	if i := strings.IndexAny(text[min(at, len(text)):], "\r\n"); i >= 0 {
		return at + i
	}
	return len(text)
}

// isWordByte reports whether a byte may be in the name of a member that a writer leaves
// without quotes.
func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '$' || c == '.'
}

// wordEnd passes a member's name.
func wordEnd(text string, at int) int {
	for at < len(text) && isWordByte(text[at]) {
		at++
	}
	return at
}

// Quote writes a text in quotes that YAML reads: in double ones where nothing needs an
// escape, else in single ones.
func Quote(text string) string {
	if !strings.ContainsAny(text, "\"\\") {
		return `"` + text + `"`
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}

// curlyOpen and curlyClose are typographic quotes, which YAML and JSON read as letters.
const (
	curlyOpen  = "“„«‘‚‟"
	curlyClose = "”“»’‘"
)

// StripCurly takes the quotes of a word processor off a text that is in them.
func StripCurly(text string) (inside string, ok bool) {
	first, n := utf8.DecodeRuneInString(text)
	last, m := utf8.DecodeLastRuneInString(text)
	if len(text) <= n+m || !strings.ContainsRune(curlyOpen, first) || !strings.ContainsRune(curlyClose, last) {
		return text, false
	}
	inside = text[n : len(text)-m]
	return inside, !strings.ContainsAny(inside, "“”„")
}
