package terminal

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas/plaintext"
)

// Clean returns any text as one line that is safe to print: characters that a terminal would obey
// (escape and other control characters, bidirectional overrides) become visible signs, line ends
// and tabs become spaces, and broken UTF-8 the replacement character. All text of a service passes
// through it on its way to a terminal.
func Clean(s string) string { return cleanText(s, " ", " ") }

// CleanLines is Clean for text of several lines: line ends stay, tabs become
// four spaces.
func CleanLines(s string) string { return cleanText(s, "\n", "    ") }

// Cleaner is CleanLines for a text in pieces: the results of Add and End together equal CleanLines
// of the whole. The zero Cleaner is ready.
type Cleaner struct {
	// held is an end that depends on the next piece: half a line end, or half a character.
	held string
}

// Add returns what can be printed of the text so far.
func (c *Cleaner) Add(piece string) string {
	text := c.held + piece
	whole := len(text) - len(undecidedEnd(text))
	c.held = text[whole:]
	return CleanLines(text[:whole])
}

// End returns the held bytes at the end of the text.
func (c *Cleaner) End() string {
	rest := c.held
	c.held = ""
	return CleanLines(rest)
}

// undecidedEnd is the end of a text that is a carriage return or the beginning of a
// character of several bytes.
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
			b.WriteRune(r) // Broken bytes come out as U+FFFD.
		}
	}
	return b.String()
}

// isPrintable is the short way for nearly every text: printable ASCII only.
func isPrintable(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// IsObeyed is plaintext.IsObeyed: these characters are signs here and escapes in files.
func IsObeyed(r rune) bool { return plaintext.IsObeyed(r) }

// showControl shows a control character as its picture (U+2400 block), anything
// else as its number.
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

// FirstLine is the first line that says something.
func FirstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// CountCharacters counts as the service's limits do: Unicode code points.
func CountCharacters(s string) int { return utf8.RuneCountInString(s) }

// CleanInput returns a text for the input: with our line ends, four spaces for a tab, and without
// control characters.
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
