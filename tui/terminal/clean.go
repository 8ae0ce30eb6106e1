// Package terminal contains functions about terminals. It makes text safe to print (Clean),
// measures and wraps text, and replaces characters that a terminal cannot draw. It finds out the
// background colour, copies to the clipboard, and handles panics of the screen.
//
// It does not import bubbletea, because all commands use it to clean their output.
package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
)

// Clean returns a text as one line that is safe to print. It replaces control characters, such as
// Escape and bidirectional overrides, by visible signs, line ends and tabs by spaces, and invalid
// UTF-8 by the replacement character. All text from a service must be cleaned before it is printed.
func Clean(s string) string { return cleanText(s, " ", " ") }

// CleanLines does the same as Clean for a text of several lines. It keeps line ends and replaces a
// tab by four spaces.
func CleanLines(s string) string { return cleanText(s, "\n", "    ") }

// Cleaner does the work of CleanLines for a text that arrives in pieces. The results of all calls
// of Add and End together equal CleanLines of the whole text. The zero value is ready to use.
type Cleaner struct {
	// held is a CR or an incomplete character at the end of the last piece. It is cleaned together
	// with the next piece.
	held string
}

// Add adds a piece and returns the clean text that can be printed now.
func (c *Cleaner) Add(piece string) string {
	text := c.held + piece
	whole := len(text) - len(undecidedEnd(text))
	c.held = text[whole:]
	return CleanLines(text[:whole])
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
			b.WriteRune(r) // Invalid bytes become U+FFFD.
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

// IsObeyed reports whether r is a character that a terminal obeys rather than draws. Clean replaces
// these characters. IsObeyed is plaintext.IsObeyed.
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

// FirstLine returns the first line that is not blank, without spaces around it.
func FirstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// CountCharacters returns the number of Unicode code points, as the service's limits count them.
func CountCharacters(s string) int { return utf8.RuneCountInString(s) }

// CleanInput returns a text for the input field. Line ends become LF, tabs become four spaces, and
// control characters are removed.
func CleanInput(text string) string {
	if isPrintable(text) {
		return text
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\t", "    ").Replace(text)
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
