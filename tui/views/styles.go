// Package views contains the parts of the full screen: the conversation (Transcript), the side
// panel (Panel), the input (Input), lists (List, ListOverlay), the help (NewHelp), the form for the
// player's data (Form) and the card after an ending (Card).
//
// The parts share themes (Styles), paragraphs, header and footer lines, and the key table
// (KeyActions).
//
// The Transcript keeps its position while new text arrives. Markdown paragraphs, emphasis, code,
// lists, quotes and headings are formatted. OpeningCard shows the character and the aim. Portraits
// draws the picture with Kitty graphics, Sixel or half blocks.
//
// Input replaces the text area of bubbles, because single runes are parts of emoji
// (TestEditorKeys). A key in a message of 4,000 lines takes 0.06 ms instead of 67 ms.
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

// Styles contains the styles of the full screen. Every style uses Renderer, because lipgloss's
// default renderer would query the terminal.
type Styles struct {
	Text, Title, Faint, Rule, Note lipgloss.Style
	Character, Player              lipgloss.Style
	Good, Bad, Chosen, Code        lipgloss.Style
	Warn                           lipgloss.Style
	// Aside is the style of stage directions.
	Aside lipgloss.Style

	// shade is nil if the theme fixes the character's colour.
	shade *shade
	// Renderer is the renderer of the output.
	Renderer *lipgloss.Renderer
}

// NewStyles returns the styles of a built-in theme. Without colours, only bold, faint, italic and
// reverse are used.
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

func paletteSet(r *lipgloss.Renderer, colours *palette, lit *shade) *Styles {
	ink := func(colour string) lipgloss.Style {
		if colour == "" {
			return r.NewStyle()
		}
		return r.NewStyle().Foreground(lipgloss.Color(colour))
	}
	return &Styles{
		Text: ink(colours.text), Title: ink(colours.text).Bold(true),
		Faint: ink(colours.faint), Rule: ink(colours.rule), Note: ink(colours.faint),
		Character: ink(colours.character).Bold(true), Player: ink(colours.player).Bold(true),
		Good: ink(colours.good).Bold(true), Bad: ink(colours.bad).Bold(true),
		Chosen: ink(colours.character).Bold(true), Code: ink(colours.code),
		Warn: ink(colours.warn).Bold(true), Aside: ink(colours.faint).Italic(true),
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

// TriesStyle returns the style for the number of tries left.
func (s *Styles) TriesStyle(tries int) lipgloss.Style {
	switch {
	case tries <= 1:
		return s.Bad
	case tries == 2:
		return s.Warn
	}
	return s.Faint
}

// EndingStyle returns the style for a kind of ending (playwords.Ending.Kind).
func (s *Styles) EndingStyle(kind string) lipgloss.Style {
	switch kind {
	case "won":
		return s.Good
	case "lost":
		return s.Bad
	}
	return s.Title
}

// NewField returns a one-line input with a static cursor.
func NewField(st *Styles, prompt, placeholder string, style lipgloss.Style) textinput.Model {
	f := textinput.New()
	f.Prompt, f.Placeholder = prompt, placeholder
	f.PromptStyle, f.TextStyle, f.PlaceholderStyle = style, st.Text, st.Faint
	f.Cursor.Style, f.Cursor.TextStyle = st.Text.Transform(markCaret), st.Text
	f.Cursor.SetMode(cursor.CursorStatic)
	f.KeyMap.Paste.SetEnabled(false)
	f.KeyMap.DeleteCharacterForward = key.NewBinding(key.WithKeys("delete"))
	f.Focus()
	return f
}

// StyleField sets the styles of a one-line input.
func StyleField(f *textinput.Model, st *Styles, style lipgloss.Style) {
	f.PromptStyle, f.TextStyle, f.PlaceholderStyle = style, st.Text, st.Faint
	f.Cursor.Style, f.Cursor.TextStyle = st.Text.Transform(markCaret), st.Text
}

func markCaret(text string) string { return terminal.CaretMark + text }
