package graph

import (
	"fmt"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// ruler measures texts in the Go fonts, which are slightly wider than common SVG fonts.
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

// textWidth returns the width of a text. If the font lacks a character, its width is the font size.
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
