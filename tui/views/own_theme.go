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

// OwnTheme is a theme that the player has defined.
type OwnTheme struct {
	Name Theme
	// Light means that the theme is for a light background. Missing colours come from the built-in
	// light theme, or from the built-in dark theme if Light is false.
	Light bool
	// Background is the terminal's background colour, or "" if it is unknown.
	Background string
	// Colours maps the names of palette.byName to colours: #rrggbb or a number from 0 to 255.
	Colours map[string]string
	// Trouble is one clean line that says why the theme cannot be used, or "".
	Trouble string
}

// NewRenderer returns a renderer for an output. It sets the background itself, because otherwise
// lipgloss would ask the terminal for it.
func NewRenderer(out io.Writer, light bool) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(out)
	r.SetHasDarkBackground(!light)
	return r
}

// MakeStyles returns the styles of a theme, which may be one of the player's own themes.
func MakeStyles(r *lipgloss.Renderer, t Theme, light bool, own []OwnTheme) *Styles {
	for i := range own {
		if own[i].Name == t && r.ColorProfile() != termenv.Ascii {
			return own[i].makeSet(r)
		}
	}
	return NewStyles(r, t, light)
}

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
		lit = nil // This colour replaces the persona's.
	}
	return paletteSet(r, &p, lit)
}

func (p *palette) byName() map[string]*string {
	return map[string]*string{"text": &p.text, "faint": &p.faint, "rule": &p.rule, "character": &p.character, "player": &p.player,
		"good": &p.good, "bad": &p.bad, "code": &p.code, "warn": &p.warn}
}

const minContrast = 4.5

// ListWarnings returns a warning for each text colour that has too little contrast to the
// background. If the theme defines no background, ListWarnings assumes white for a light theme and
// black for others.
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
		if ok && contrastRatio(ink, back) < minContrast {
			said = append(said, fmt.Sprintf("%s %s is hard to read on %s: %.1f to 1, text needs %.1f", name, o.Colours[name], ground, contrastRatio(ink, back), minContrast))
		}
	}
	return said
}

// seenColour returns the colour that a terminal shows for a colour of a theme. It returns false for
// the colours 0 to 15, because the terminal's settings determine them.
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

func contrastRatio(a, b colorful.Color) float64 {
	x, y := relativeLuminance(a), relativeLuminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func relativeLuminance(c colorful.Color) float64 {
	r, g, b := c.LinearRgb()
	return 0.2126*r + 0.7152*g + 0.0722*b
}
