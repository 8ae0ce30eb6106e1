package views

import (
	"github.com/charmbracelet/lipgloss"
	"github.com/lucasb-eyer/go-colorful"
)

// shade is how light and how strong a character's colour is in OKLCH (CSS Color 4), where
// equal lightness looks equally light in every hue.
type shade struct{ lightness, chroma float64 }

// themeShade returns the shade of a theme, or nil for high contrast, which has its own colours.
// Every hue in it has a contrast of at least 4.5 to 1 against usual backgrounds (TestHues).
func themeShade(t Theme, light bool) *shade {
	switch ThemePalette(t, light) {
	case &LightPalette:
		return &shade{0.42, 0.09}
	case &darkPalette:
		return &shade{0.82, 0.10}
	}
	return nil
}

// colour is a hue of the usual circle (0 red, 120 green, 240 blue) in a shade, as the
// terminal takes it.
func (s *shade) colour(hue int) lipgloss.Color {
	_, _, angle := colorful.Hsl(float64(hue), 1, 0.5).OkLch()
	return lipgloss.Color(colorful.OkLch(s.lightness, s.chroma, angle).Clamped().Hex())
}

// SetHue colours the character's name, bar and choices by a hue in degrees. It has no effect for a
// theme without colours or a terminal with sixteen.
func (s *Styles) SetHue(hue int) {
	if s.shade == nil {
		return
	}
	ink := s.Renderer.NewStyle().Foreground(s.shade.colour(hue)).Bold(true)
	s.Character, s.Chosen = ink, ink
}
