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

// Weigher counts the faults of a readable text: unknown members, values of the wrong kind and, if
// it is the whole text, missing members. The count decides between two ways to read a text.
type Weigher func(text string, whole bool) int

// choice is the mistake that was chosen among several, and the state of the text without it.
type choice struct {
	Mistake
	ok     bool
	whole  bool // the text can be read as a whole
	weight int  // the faults in the text then, as far as it can be read
	reach  int  // else the byte of the old text up to which it can be read
}

// choose returns the first mistake without which the whole text can be read with the fewest faults;
// else the one without which it can be read furthest beyond the failure; else the first one that
// lets the reader pass the failure at all.
func choose(text string, failedAt int, mistakes []Mistake, read Reader, weigh Weigher) choice {
	best, passed := choice{reach: failedAt}, -1
	for i := range mistakes {
		m := &mistakes[i]
		right := m.Apply(text)
		at, asked := read(right)
		if !asked {
			break
		}
		if at < 0 {
			if c := (choice{*m, true, true, weigh(right, true), len(text)}); c.isBetter(best) {
				best = c
			}
			if best.weight == 0 {
				return best
			}
			continue
		}
		if at <= m.Start+len(m.Right) {
			continue
		}
		if passed < 0 {
			passed = i
		}
		if behind := max(at-m.Start-len(m.Right)+m.End, 0); !best.whole && behind > best.reach {
			best = choice{*m, true, false, 0, behind}
		}
	}
	if !best.ok && passed >= 0 {
		return choice{mistakes[passed], true, false, 0, failedAt}
	}
	return best
}

// isBetter reports whether a text is better read without one mistake than without another.
func (c choice) isBetter(other choice) bool {
	switch {
	case c.ok != other.ok:
		return c.ok
	case c.whole != other.whole:
		return c.whole
	case c.whole || c.reach == other.reach:
		return c.weight < other.weight
	}
	return c.reach > other.reach
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
