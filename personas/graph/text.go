package graph

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	eastasian "golang.org/x/text/width"
)

const longest = 120

func plainLine(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > longest {
			b.WriteRune('…')
			break
		}
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case !isDrawable(r):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func isDrawable(r rune) bool {
	if r == 0x200c || r == 0x200d {
		return true
	}
	return unicode.IsGraphic(r) && !unicode.Is(unicode.Cf, r)
}

func wrapText(s string, width float64, lines int, measure func(string) float64) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(s) {
		for _, piece := range cutWord(word, width, measure) {
			next := strings.TrimSpace(line + " " + piece)
			if line == "" || measure(next) <= width {
				line = next
			} else {
				out, line = append(out, line), piece
			}
		}
	}
	out = append(out, line)
	if len(out) > lines {
		out = out[:lines]
		last := out[lines-1]
		out[lines-1] = last[:fittingBytes(last, width-measure("…"), measure)] + "…"
	}
	return out
}

func cutWord(word string, width float64, measure func(string) float64) []string {
	var pieces []string
	for measure(word) > width {
		_, first := utf8.DecodeRuneInString(word)
		head := max(fittingBytes(word, width, measure), first)
		pieces, word = append(pieces, word[:head]), word[head:]
	}
	return append(pieces, word)
}

func fittingBytes(s string, width float64, measure func(string) float64) int {
	for i, r := range s {
		if width -= measure(string(r)); width < 0 {
			return i
		}
	}
	return len(s)
}

func clip(s string, width float64, measure func(string) float64) string {
	if measure(s) <= width {
		return s
	}
	return s[:fittingBytes(s, width-measure("…"), measure)] + "…"
}

func cellWidth(s string) float64 {
	n := 0
	for _, r := range s {
		switch kind := eastasian.LookupRune(r).Kind(); {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case kind == eastasian.EastAsianWide, kind == eastasian.EastAsianFullwidth:
			n += 2
		default:
			n++
		}
	}
	return float64(n)
}

func padText(s string, width int) string {
	s = clip(s, float64(width), cellWidth)
	return s + strings.Repeat(" ", max(width-int(cellWidth(s)), 0))
}

type ruler struct {
	regular, heavy *sfnt.Font
	buffer         sfnt.Buffer
}

func newRuler() (*ruler, error) {
	regular, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		return nil, fmt.Errorf("read the font: %w", err)
	}
	heavy, err := sfnt.Parse(gobold.TTF)
	if err != nil {
		return nil, fmt.Errorf("read the font: %w", err)
	}
	return &ruler{regular: regular, heavy: heavy}, nil
}

func (m *ruler) fontFor(bold bool) *sfnt.Font {
	if bold {
		return m.heavy
	}
	return m.regular
}

func (m *ruler) smallWidth(text string) float64 { return m.textWidth(text, smallText, false) }

func (m *ruler) textWidth(text string, size float64, bold bool) float64 {
	f := m.fontFor(bold)
	total := 0.0
	for _, r := range text {
		glyph, err := f.GlyphIndex(&m.buffer, r)
		if err != nil || glyph == 0 {
			total += size
			continue
		}
		advance, err := f.GlyphAdvance(&m.buffer, glyph, fixed.Int26_6(size*64), font.HintingNone)
		if err != nil {
			advance = fixed.Int26_6(size * 64)
		}
		total += float64(advance) / 64
	}
	return total
}
