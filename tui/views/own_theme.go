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
	// Light selects the built-in light theme for missing colours. The default is the dark theme.
	Light bool
	// Background is the terminal's background colour, or "" if unknown.
	Background string
	// Colours maps the names of palette.byName to #rrggbb or to a number from 0 to 255.
	Colours map[string]string
	// Trouble is the reason for an invalid theme, or "".
	Trouble string
}

// NewRenderer returns a renderer with a known background. lipgloss would otherwise query the
// terminal.
func NewRenderer(out io.Writer, light bool) *lipgloss.Renderer {
	r := lipgloss.NewRenderer(out)
	r.SetHasDarkBackground(!light)
	return r
}

// MakeStyles returns the styles of a theme. themes contains the player's themes.
func MakeStyles(r *lipgloss.Renderer, t Theme, light bool, themes []OwnTheme) *Styles {
	for i := range themes {
		if themes[i].Name == t && r.ColorProfile() != termenv.Ascii {
			return themes[i].makeSet(r)
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
	colours := *ThemePalette(o.base(), o.Light)
	lit := themeShade(o.base(), o.Light)
	if r.ColorProfile() == termenv.ANSI {
		colours, lit = *sixteenPalette(o.base(), o.Light), nil
	}
	fields := colours.byName()
	for name, colour := range o.Colours {
		if field, ok := fields[name]; ok {
			*field = colour
		}
	}
	if o.Colours["character"] != "" {
		lit = nil
	}
	return paletteSet(r, &colours, lit)
}

func (p *palette) byName() map[string]*string {
	return map[string]*string{
		"text": &p.text, "faint": &p.faint, "rule": &p.rule, "character": &p.character, "player": &p.player,
		"good": &p.good, "bad": &p.bad, "code": &p.code, "warn": &p.warn,
	}
}

const minContrast = 4.5

// ListWarnings returns a warning for each text colour with low contrast. Without a background, the
// default is white for a light theme and black otherwise.
func (o *OwnTheme) ListWarnings() []string {
	ground := o.Background
	switch {
	case ground == "" && o.Light:
		ground = "#ffffff"
	case ground == "":
		ground = "#000000"
	}
	back, ok := seenColour(ground)
	if !ok {
		return nil
	}
	var warnings []string
	for _, name := range []string{"text", "faint", "character", "player", "good", "bad", "warn", "code"} {
		ink, ok := seenColour(o.Colours[name])
		if !ok {
			continue
		}
		if ratio := contrastRatio(ink, back); ratio < minContrast {
			warnings = append(warnings, fmt.Sprintf("%s %s is hard to read on %s: %.1f to 1, text needs %.1f",
				name, o.Colours[name], ground, ratio, minContrast))
		}
	}
	return warnings
}

// seenColour excludes the colours 0 to 15, because the terminal defines their values.
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
