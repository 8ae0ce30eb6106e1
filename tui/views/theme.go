package views

import (
	"errors"
	"slices"

	"github.com/charmbracelet/lipgloss"
	"github.com/lucasb-eyer/go-colorful"
)

// Theme is the name of a set of colours.
type Theme string

// Names of the built-in themes. The zero value is ThemeAuto.
const (
	ThemeAuto         Theme = "auto"
	ThemeDark         Theme = "dark"
	ThemeLight        Theme = "light"
	ThemeHighContrast Theme = "high-contrast" // for the terminal's background
	ThemeNone         Theme = "none"          // bold and faint only
)

// Themes returns the built-in themes, the default first.
func Themes() []Theme {
	return []Theme{ThemeAuto, ThemeDark, ThemeLight, ThemeHighContrast, ThemeNone}
}

// IsKnown reports whether t is a built-in theme.
func (t Theme) IsKnown() bool { return t == "" || slices.Contains(Themes(), t) }

// DependsOnBackground reports whether the theme depends on the terminal's background.
func (t Theme) DependsOnBackground() bool { return t == "" || t == ThemeAuto || t == ThemeHighContrast }

// ErrTheme means that a theme does not exist.
var ErrTheme = errors.New("unknown theme: choose auto, dark, light, high-contrast or none")

// palette contains the colours of a theme. "" is the terminal's default colour.
type palette struct{ text, faint, rule, character, player, good, bad, code, warn string }

// Text has a contrast of at least 4.5 to 1, and 7 to 1 with high contrast (TestContrast).
var (
	darkPalette = palette{
		faint: "#a3a9b4", rule: "#6b727f", character: "#7fc8c2", player: "#e0b872",
		good: "#94c77d", bad: "#f29a96", code: "#d7a9c9", warn: "#ecb256",
	}
	lightPalette = palette{
		faint: "#5c626b", rule: "#9aa0a8", character: "#00686b", player: "#7d5200",
		good: "#2f6d1d", bad: "#a82323", code: "#83386b", warn: "#8a4b00",
	}
	strongDarkPalette = palette{
		text: "#ffffff", faint: "#e4e4e4", rule: "#c6c6c6", character: "#87ffff", player: "#ffd787",
		good: "#afff87", bad: "#ffafaf", code: "#ffd7ff", warn: "#ffd75f",
	}
	strongLightPalette = palette{
		text: "#000000", faint: "#262626", rule: "#4e4e4e", character: "#00005f", player: "#5f2700",
		good: "#004000", bad: "#7a0000", code: "#500050", warn: "#5f2f00",
	}
)

// ThemePalette returns the palette of a theme. light selects a light background.
func ThemePalette(t Theme, light bool) *palette {
	switch {
	case t == ThemeHighContrast && light:
		return &strongLightPalette
	case t == ThemeHighContrast:
		return &strongDarkPalette
	case t == ThemeLight, t != ThemeDark && light:
		return &lightPalette
	}
	return &darkPalette
}

// sixteenPalette is defined separately, because a conversion would merge several colours.
func sixteenPalette(t Theme, light bool) *palette {
	onLight := t == ThemeLight || t != ThemeDark && light
	switch {
	case onLight && t == ThemeHighContrast:
		return &palette{
			text: "0", faint: "0", rule: "8", character: "4", player: "5", good: "2", bad: "1", code: "6", warn: "3",
		}
	case onLight:
		return &palette{faint: "8", rule: "7", character: "4", player: "5", good: "2", bad: "1", code: "6", warn: "3"}
	case t == ThemeHighContrast:
		return &palette{
			text: "15", faint: "15", rule: "7", character: "14", player: "11",
			good: "10", bad: "9", code: "13", warn: "11",
		}
	}
	return &palette{faint: "7", rule: "8", character: "14", player: "11", good: "10", bad: "9", code: "13", warn: "11"}
}

// shade is the lightness and chroma of a character's colour in OKLCH (CSS Color 4).
type shade struct{ lightness, chroma float64 }

// themeShade returns the lightness and chroma of player colours. For every hue, the contrast to the
// background is at least 4.5 to 1 (TestHues).
func themeShade(t Theme, light bool) *shade {
	switch ThemePalette(t, light) {
	case &lightPalette:
		return &shade{0.42, 0.09}
	case &darkPalette:
		return &shade{0.82, 0.10}
	}
	return nil
}

func (s *shade) colour(hue int) lipgloss.Color {
	_, _, angle := colorful.Hsl(float64(hue), 1, 0.5).OkLch()
	return lipgloss.Color(colorful.OkLch(s.lightness, s.chroma, angle).Clamped().Hex())
}

// SetHue sets the character's colour to a hue in degrees. Themes with fixed colours stay unchanged.
func (s *Styles) SetHue(hue int) {
	if s.shade == nil {
		return
	}
	ink := s.Renderer.NewStyle().Foreground(s.shade.colour(hue)).Bold(true)
	s.Character, s.Chosen = ink, ink
}
