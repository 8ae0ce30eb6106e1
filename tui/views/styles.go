package views

import (
	"io"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"github.com/parley-npc/parley/tui/terminal"
)

// Set is every look of the full screen. They are made for one output, so no
// library-wide renderer is asked and the terminal is never questioned.
type Styles struct {
	Text, Title, Faint, Rule, Note lipgloss.Style
	Character, Player              lipgloss.Style
	Good, Bad, Chosen, Code        lipgloss.Style
	Warn                           lipgloss.Style
	// Aside is how stage directions look.
	Aside lipgloss.Style

	// shade is the lightness and strength of the character's colour; nil without one.
	shade *shade
	// Renderer knows the colours of the output; another theme is made with it.
	Renderer *lipgloss.Renderer
}

// NewSet returns the looks of a theme on a renderer. Without colours (theme none, or a plain
// output) bold, faint, italic and reverse remain.
func NewStyles(r *lipgloss.Renderer, t Theme, light bool) *Styles {
	if t == ThemeNone || r.ColorProfile() == termenv.Ascii {
		return plainStyles(r)
	}
	p := ThemePalette(t, light)
	lit := themeShade(t, light)
	if r.ColorProfile() == termenv.ANSI {
		p, lit = sixteenPalette(t, light), nil
	}
	return paletteSet(r, p, lit)
}

// paletteSet are the looks in the colours of a palette.
func paletteSet(r *lipgloss.Renderer, p *palette, lit *shade) *Styles {
	ink := func(colour string) lipgloss.Style {
		if colour == "" {
			return r.NewStyle()
		}
		return r.NewStyle().Foreground(lipgloss.Color(colour))
	}
	return &Styles{
		Text: ink(p.text), Title: ink(p.text).Bold(true),
		Faint: ink(p.faint), Rule: ink(p.rule), Note: ink(p.faint),
		Character: ink(p.character).Bold(true), Player: ink(p.player).Bold(true),
		Good: ink(p.good).Bold(true), Bad: ink(p.bad).Bold(true),
		Chosen: ink(p.character).Bold(true), Code: ink(p.code),
		Warn: ink(p.warn).Bold(true), Aside: ink(p.faint).Italic(true),
		Renderer: r, shade: lit,
	}
}

func plainStyles(output *lipgloss.Renderer) *Styles {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetHasDarkBackground(true)
	r.SetColorProfile(termenv.ANSI)
	text, strong, faint := r.NewStyle(), r.NewStyle().Bold(true), r.NewStyle().Faint(true)
	return &Styles{
		Text: text, Title: strong, Faint: faint, Rule: faint, Note: faint,
		Character: strong, Player: strong, Good: strong, Bad: strong, Chosen: strong, Code: text,
		Warn: strong, Aside: faint.Italic(true),
		Renderer: output,
	}
}

// TriesStyle is how the number of tries that are left looks: a last one is bad, one before
// it a warning.
func (s *Styles) TriesStyle(left int) lipgloss.Style {
	switch {
	case left <= 1:
		return s.Bad
	case left == 2:
		return s.Warn
	}
	return s.Faint
}

// EndingStyle is how an ending of a kind (playwords.Ending) looks.
func (s *Styles) EndingStyle(kind string) lipgloss.Style {
	switch kind {
	case "won":
		return s.Good
	case "lost":
		return s.Bad
	}
	return s.Title
}

// NewField returns a one-line input without motion or extra colours.
func NewField(st *Styles, prompt, placeholder string, look lipgloss.Style) textinput.Model {
	f := textinput.New()
	f.Prompt, f.Placeholder = prompt, placeholder
	f.PromptStyle, f.TextStyle, f.PlaceholderStyle = look, st.Text, st.Faint
	f.Cursor.Style, f.Cursor.TextStyle = st.Text.Transform(markCaret), st.Text
	f.Cursor.SetMode(cursor.CursorStatic)
	f.KeyMap.Paste.SetEnabled(false)
	f.KeyMap.DeleteCharacterForward = key.NewBinding(key.WithKeys("delete"))
	f.Focus()
	return f
}

// StyleField sets the looks of a one-line input.
func StyleField(f *textinput.Model, st *Styles, look lipgloss.Style) {
	f.PromptStyle, f.TextStyle, f.PlaceholderStyle = look, st.Text, st.Faint
	f.Cursor.Style, f.Cursor.TextStyle = st.Text.Transform(markCaret), st.Text
}

func markCaret(text string) string { return terminal.CaretMark + text }
