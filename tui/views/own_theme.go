package views

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/lucasb-eyer/go-colorful"
	"github.com/muesli/termenv"
)

// OwnTheme is a theme of the player's.
type OwnTheme struct {
	Name Theme
	// Light is for a light background; missing colours come from the built-in light theme.
	Light bool
	// Background is the terminal's, "" where it is not known.
	Background string
	// Colours are #rrggbb or numbers from 0 to 255, by the names of palettes' fields.
	Colours map[string]string
	// Trouble is why it cannot be used, one clean line; "" where it can.
	Trouble string
}

// NewRenderer knows the colours of an output. Nobody is asked for its background.
func NewRenderer(out io.Writer, light bool) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(out)
	r.SetHasDarkBackground(!light)
	return r
}

// MakeSet are the looks of a theme on a renderer; own are the player's.
func MakeStyles(r *lipgloss.Renderer, t Theme, light bool, own []OwnTheme) *Styles {
	for i := range own {
		if own[i].Name == t && r.ColorProfile() != termenv.Ascii {
			return own[i].makeSet(r)
		}
	}
	return NewStyles(r, t, light)
}

// base returns the theme for the colours that the file omits.
func (o *OwnTheme) base() Theme {
	if o.Light {
		return ThemeLight
	}
	return ThemeDark
}

func (o *OwnTheme) makeSet(r *lipgloss.Renderer) *Styles {
	p := *ThemePalette(o.base(), o.Light)
	lit := themeShade(o.base(), o.Light)
	if r.ColorProfile() == termenv.ANSI {
		p, lit = *sixteenPalette(o.base(), o.Light), nil
	}
	fields := p.byName()
	for name, colour := range o.Colours {
		if field, ok := fields[name]; ok {
			*field = colour
		}
	}
	if o.Colours["character"] != "" {
		lit = nil // Who names a colour does not want the persona's.
	}
	return paletteSet(r, &p, lit)
}

// byName are a palette's colours by their names in theme files.
func (p *palette) byName() map[string]*string {
	return map[string]*string{"text": &p.text, "faint": &p.faint, "rule": &p.rule, "character": &p.character, "player": &p.player,
		"good": &p.good, "bad": &p.bad, "code": &p.code, "warn": &p.warn}
}

// leastContrast is WCAG 2's for words.
const leastContrast = 4.5

// ListWarnings returns which words are hard to read against the background: that of the file,
// else black or white as the base is.
func (o *OwnTheme) ListWarnings() []string {
	ground := o.Background
	if ground == "" {
		if ground = "#000000"; o.Light {
			ground = "#ffffff"
		}
	}
	back, ok := seenColour(ground)
	if !ok {
		return nil
	}
	var said []string
	for _, name := range []string{"text", "faint", "character", "player", "good", "bad", "warn", "code"} {
		ink, ok := seenColour(o.Colours[name])
		if ok && contrastRatio(ink, back) < leastContrast {
			said = append(said, fmt.Sprintf("%s %s is hard to read on %s: %.1f to 1, words want %.1f", name, o.Colours[name], ground, contrastRatio(ink, back), leastContrast))
		}
	}
	return said
}

// seenColour returns the displayed colour; the terminal's first sixteen colours are unknown.
func seenColour(colour string) (colorful.Color, bool) {
	if strings.HasPrefix(colour, "#") {
		c, err := colorful.Hex(colour)
		return c, err == nil
	}
	n, err := strconv.Atoi(colour)
	if err != nil || n < 16 || n > 255 {
		return colorful.Color{}, false
	}
	return termenv.ConvertToRGB(termenv.ANSI256Color(n)), true
}

// contrastRatio is WCAG 2's, from 1 to 21.
func contrastRatio(a, b colorful.Color) float64 {
	x, y := relativeLuminance(a), relativeLuminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func relativeLuminance(c colorful.Color) float64 {
	r, g, b := c.LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}
