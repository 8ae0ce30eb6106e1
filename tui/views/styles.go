// Package views contains the parts of the full screen: the conversation (Transcript), the panel
// with the player's state (Panel, and NewPanelPager over the whole window), the help with keys and
// commands (NewHelp), the card of a finished machine (Card), the form that asks for the player's
// data (Form), lists with a search (List, ListOverlay), and the multi-line field for the player's
// message (Input) with the earlier messages (History).
//
// It also contains what these parts share: themes and colours (Styles), paragraphs, the first and
// last line of a screen, and the key table (KeyActions, KeyMap), which the help shows.
//
// The Transcript does not move when new text arrives while the player reads earlier text. It
// renders Markdown's paragraphs, emphasis, code, lists, quotes and headings. It shows other
// Markdown unchanged. A conversation begins with a card (OpeningCard) that shows the character, the
// player's aim, the number of tries, and how to talk. Portraits shows the character's portrait on
// the card, with Kitty graphics, Sixel or coloured half blocks.
//
// Input does not use the text area of bubbles, for two reasons. First, that text area edits runes,
// so that a backspace leaves part of an emoji, a flag or a letter with an accent (TestEditorKeys).
// Second, it draws the whole text after each key. This takes 67 ms for a message of 4,000 lines,
// 1.8 ms for one line of 8,000 letters and 0.17 ms for a short message. Input takes 0.06, 0.06 and
// 0.004 ms.
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

// Styles contains the styles of the full screen. All styles use the field Renderer, not lipgloss's
// default renderer, because that would query the terminal.
type Styles struct {
	Text, Title, Faint, Rule, Note lipgloss.Style
	Character, Player              lipgloss.Style
	Good, Bad, Chosen, Code        lipgloss.Style
	Warn                           lipgloss.Style
	// Aside is the style of stage directions.
	Aside lipgloss.Style

	// shade is the lightness and chroma of the character's colour, or nil if the theme fixes the
	// colour.
	shade *shade
	// Renderer is the renderer of the output. A change of the theme uses it for the new styles.
	Renderer *lipgloss.Renderer
}

// NewStyles returns the styles of a built-in theme. Without colours (theme none, or an output
// without colours) it uses only bold, faint, italic and reverse.
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

// TriesStyle returns the style for the number of tries that are left: Bad for the last try, Warn
// for two tries, Faint for more.
func (s *Styles) TriesStyle(left int) lipgloss.Style {
	switch {
	case left <= 1:
		return s.Bad
	case left == 2:
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

// StyleField sets the styles of a one-line input.
func StyleField(f *textinput.Model, st *Styles, look lipgloss.Style) {
	f.PromptStyle, f.TextStyle, f.PlaceholderStyle = look, st.Text, st.Faint
	f.Cursor.Style, f.Cursor.TextStyle = st.Text.Transform(markCaret), st.Text
}

func markCaret(text string) string { return terminal.CaretMark + text }
