// Package terminal makes text safe to print, measures and wraps text, and replaces characters that
// a terminal cannot draw. The package also finds out the background colour, copies to the
// clipboard, and handles panics of the screen.
//
// All commands import the package, so bubbletea must not be imported.
package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
)

// Clean returns a text as one line that is safe to print. Control characters become visible signs,
// and line ends and tabs become spaces. Clean all text from a service before printing.
func Clean(s string) string { return cleanText(s, " ", " ") }

// CleanLines is like Clean for several lines. Line ends stay, and a tab becomes four spaces.
func CleanLines(s string) string { return cleanText(s, "\n", "    ") }

// Cleaner is CleanLines for a text that arrives in pieces. The zero value is ready to use.
type Cleaner struct {
	// held is a CR or an incomplete character at the end of the last piece.
	held string
}

// Add adds a piece and returns clean text for printing.
func (c *Cleaner) Add(piece string) string {
	text := c.held + piece
	complete := len(text) - len(undecidedEnd(text))
	c.held = text[complete:]
	return CleanLines(text[:complete])
}

// End returns the clean rest of the text.
func (c *Cleaner) End() string {
	rest := c.held
	c.held = ""
	return CleanLines(rest)
}

func undecidedEnd(text string) string {
	if strings.HasSuffix(text, "\r") {
		return "\r"
	}
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		end := text[len(text)-back:]
		if utf8.RuneStart(end[0]) {
			if !utf8.FullRuneInString(end) {
				return end
			}
			break
		}
	}
	return ""
}

func cleanText(s, newline, tab string) string {
	if isPrintable(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i, r := range s {
		switch {
		case r == '\r' && strings.HasPrefix(s[i:], "\r\n"):
		case r == '\n' || r == '\u2028' || r == '\u2029':
			b.WriteString(newline)
		case r == '\t':
			b.WriteString(tab)
		case IsObeyed(r):
			b.WriteString(showControl(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// IsObeyed reports whether a terminal obeys r rather than draws r, as plaintext.IsObeyed does.
func IsObeyed(r rune) bool { return plaintext.IsObeyed(r) }

func showControl(r rune) string {
	switch {
	case r < ' ':
		return string('\u2400' + r)
	case r == 0x7f:
		return "\u2421"
	case r <= 0xff:
		return fmt.Sprintf(`\x%02x`, r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// FirstLine returns the first non-blank line, without surrounding spaces.
func FirstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// CountCharacters returns the number of Unicode code points.
func CountCharacters(s string) int { return utf8.RuneCountInString(s) }

// CleanInput returns a text for the input field, without tabs and control characters.
func CleanInput(text string) string {
	if isPrintable(text) {
		return text
	}
	text = strings.NewReplacer(
		"\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\t", "    ",
	).Replace(text)
	return strings.Map(func(r rune) rune {
		if r != '\n' && IsObeyed(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
}

// GroupThousands returns a number with commas between groups of three digits.
func GroupThousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
