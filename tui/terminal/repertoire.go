package terminal

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Repertoire is the set of characters that a terminal can draw.
type Repertoire uint8

const (
	// AllRunes is for a terminal with UTF-8 and all glyphs.
	AllRunes Repertoire = iota
	// PlainSigns is for a terminal with UTF-8 that lacks glyphs for Parley's own signs.
	PlainSigns
	// OnlyASCII is for a terminal without UTF-8. Bytes of a character could be control characters.
	OnlyASCII
)

// drawn contains Parley's own signs. inASCII has their replacements at the same positions.
const (
	drawn   = "─━│┆╭╮╰╯├▎▀▄▁▂▃▅▆▇█●○◐◎✓×✕→↓›·•…⋮−“”‘’–—"
	inASCII = "-=|:++++||#=_.-+*%#*o~@+xx>v>-*~:-\"\"''--"
)

func signInASCII(r rune) (byte, bool) {
	index := 0
	for _, sign := range drawn {
		if sign == r {
			return inASCII[index], true
		}
		index++
	}
	return 0, false
}

// LimitText replaces characters that the terminal cannot draw. The width stays the same.
func (p Repertoire) LimitText(s string) string {
	if p == AllRunes {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		s = s[p.limitPiece(&b, s):]
	}
	return b.String()
}

func (p Repertoire) limitPiece(b *strings.Builder, s string) int {
	plain := 0
	for plain < len(s) && s[plain] < utf8.RuneSelf {
		plain++
	}
	if plain == len(s) || plain > 1 { // Combining marks may follow the last one.
		plain = max(plain-1, 1)
		b.WriteString(s[:plain])
		return plain
	}
	character, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	p.limitCharacter(b, character)
	return len(character)
}

func (p Repertoire) limitCharacter(b *strings.Builder, character string) {
	first, _ := utf8.DecodeRuneInString(character)
	sign, ok := signInASCII(first)
	switch {
	case ok:
		b.WriteByte(sign)
	case first == utf8.RuneError, first >= 0x2400 && first < 0x2427: // signs of Clean
		b.WriteByte('?')
	case p == PlainSigns:
		b.WriteString(character)
	default:
		b.WriteString(asciiOf(first, ansi.StringWidth(character)))
	}
}

func asciiOf(first rune, cells int) string {
	switch {
	case first < utf8.RuneSelf:
		return string(first) + strings.Repeat(" ", max(cells-1, 0))
	case unicode.In(first, unicode.Mn, unicode.Me, unicode.Cf):
		return ""
	}
	return strings.Repeat("?", cells)
}

// LimitWriter returns a writer that applies LimitText to the input.
func (p Repertoire) LimitWriter(w io.Writer) io.Writer {
	if p == AllRunes {
		return w
	}
	return &limitedWriter{w: w, repertoire: p}
}

type limitedWriter struct {
	w          io.Writer
	repertoire Repertoire
	held       string
}

func (l *limitedWriter) Write(piece []byte) (int, error) {
	text := l.held + string(piece)
	complete := len(text) - len(undecidedEnd(text))
	if strings.HasSuffix(text, "\r") {
		complete = len(text)
	}
	l.held = text[complete:]
	if _, err := io.WriteString(l.w, l.repertoire.LimitText(text[:complete])); err != nil {
		return 0, err
	}
	return len(piece), nil
}
