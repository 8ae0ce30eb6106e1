package views

import (
	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	"github.com/charmbracelet/lipgloss"

	"github.com/parley-npc/parley/tui/terminal"
)

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
