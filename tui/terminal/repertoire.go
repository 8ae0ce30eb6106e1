package terminal

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Repertoire is what a terminal can draw.
type Repertoire uint8

const (
	// AllRunes is a terminal that reads UTF-8 and has signs for it.
	AllRunes Repertoire = iota
	// PlainSigns is a terminal that reads UTF-8 with an unknown set of signs: Parley draws in ASCII
	// there, and texts stay unchanged.
	PlainSigns
	// OnlyASCII is a terminal that does not read UTF-8: a byte of it could be a control character
	// there.
	OnlyASCII
)

// drawn are the runes that Parley draws with, each one cell wide; inASCII has the replacement of
// each below it (TestEveryDrawnRuneHasItsASCII).
const (
	drawn   = "─━│┆╭╮╰╯├▎▀▄▁▂▃▅▆▇█●○◐◎✓×✕→↓›·•…⋮−“”"
	inASCII = "-=|:++++||#=_.-+*%#*o~@+xx>v>-*~:-\"\""
)

// written are marks and letters of texts, and below each its nearest ASCII of one cell.
const (
	written = "\u00a0„«»‘’‚‹–—―¡¿©®°´" +
		"ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýÿŒœŠšŽžŸ"
	nearest = " \"\"\"'''<---!?cRo'" +
		"AAAAAAACEEEEIIIIDNOOOOOOUUUUYsaaaaaaaceeeeiiiidnoooooouuuuyyOoSsZzY"
)

// pairOf returns the byte at the position of a rune in runes, or false if the rune is not in it.
func pairOf(r rune, runes, bytes string) (byte, bool) {
	at := 0
	for _, known := range runes {
		if known == r {
			return bytes[at], true
		}
		at++
	}
	return 0, false
}

// LimitText is a text, perhaps with looks, as the terminal can draw it. It has as many
// cells as before; what cannot be drawn is "?".
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

// limitPiece writes the beginning of a text, and returns its length in bytes: the leading ASCII, or
// one character with its marks.
func (p Repertoire) limitPiece(b *strings.Builder, s string) int {
	plain := 0
	for plain < len(s) && s[plain] < utf8.RuneSelf {
		plain++
	}
	if plain == len(s) || plain > 1 { // The last one may carry marks.
		plain = max(plain-1, 1)
		b.WriteString(s[:plain])
		return plain
	}
	character, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	p.limitCharacter(b, character)
	return len(character)
}

// limitCharacter writes what is drawn as one character.
func (p Repertoire) limitCharacter(b *strings.Builder, character string) {
	first, _ := utf8.DecodeRuneInString(character)
	sign, known := pairOf(first, drawn, inASCII)
	switch {
	case known:
		b.WriteByte(sign)
	case first == utf8.RuneError, first >= 0x2400 && first < 0x2427: // What Clean shows of what is obeyed.
		b.WriteByte('?')
	case p == PlainSigns:
		b.WriteString(character)
	default:
		b.WriteString(asciiOf(first, ansi.StringWidth(character)))
	}
}

// asciiOf returns the replacement of a character that begins with a rune and is so many cells wide.
func asciiOf(first rune, cells int) string {
	sign, known := pairOf(first, written, nearest)
	switch {
	case first < utf8.RuneSelf:
		return string(first) + strings.Repeat(" ", max(cells-1, 0))
	case known:
		return string(rune(sign))
	case unicode.In(first, unicode.Mn, unicode.Me, unicode.Cf):
		return ""
	}
	return strings.Repeat("?", cells)
}

// LimitWriter returns a writer that converts its input to characters that the terminal can draw.
func (p Repertoire) LimitWriter(w io.Writer) io.Writer {
	if p == AllRunes {
		return w
	}
	return &limitedWriter{w: w, repertoire: p}
}

type limitedWriter struct {
	w          io.Writer
	repertoire Repertoire
	held       string // half a character
}

// Write holds back half a character at the end until its other half comes.
func (l *limitedWriter) Write(piece []byte) (int, error) {
	text := l.held + string(piece)
	whole := len(text) - len(undecidedEnd(text))
	if strings.HasSuffix(text, "\r") {
		whole = len(text)
	}
	l.held = text[whole:]
	if _, err := io.WriteString(l.w, l.repertoire.LimitText(text[:whole])); err != nil {
		return 0, err
	}
	return len(piece), nil
}
