package tui

import (
	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	"github.com/charmbracelet/lipgloss"
)

// newField is a one-line input without a motion or a colour of its own.
func newField(st *styles, prompt, placeholder string, look lipgloss.Style) textinput.Model {
	f := textinput.New()
	f.Prompt, f.Placeholder = prompt, placeholder
	f.PromptStyle, f.TextStyle, f.PlaceholderStyle = look, st.text, st.faint
	f.Cursor.Style, f.Cursor.TextStyle = st.text, st.text
	f.Cursor.SetMode(cursor.CursorStatic)
	f.KeyMap.Paste.SetEnabled(false)
	f.KeyMap.DeleteCharacterForward = key.NewBinding(key.WithKeys("delete"))
	f.Focus()
	return f
}

// styleField gives a one-line input its looks.
func styleField(f *textinput.Model, st *styles, look lipgloss.Style) {
	f.PromptStyle, f.TextStyle, f.PlaceholderStyle = look, st.text, st.faint
	f.Cursor.Style, f.Cursor.TextStyle = st.text, st.text
}
