package views

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/terminal"
)

// ListOverlay is a List over the whole window. Enter chooses, and Esc clears the search or closes
// the overlay.
type ListOverlay struct {
	Menu        *List
	Title, Foot string
	// Close is another key that closes the overlay.
	Close key.Binding
	// Choose handles the chosen index. done closes the overlay.
	Choose func(i int) (cmd tea.Cmd, done bool)
	// Moved handles a new index under the cursor. Moved may be nil.
	Moved func(i int) tea.Cmd
	// Refuse returns the reason for a locked choice. Refuse may be nil.
	Refuse func(i int) string
	notice string
	// Also handles keys before the list. i is the index under the cursor, or -1. handled suppresses
	// the list's own handling, and done closes the overlay.
	Also          func(press tea.KeyMsg, i int) (cmd tea.Cmd, handled, done bool)
	width, Height int
}

// Update handles a key, and reports whether the overlay closes.
func (l *ListOverlay) Update(msg tea.Msg) (tea.Cmd, bool) {
	press, pressed := msg.(tea.KeyMsg)
	if !pressed {
		return nil, false
	}
	l.notice = ""
	if l.Also != nil {
		if cmd, handled, done := l.Also(press, l.Menu.cursorIndex()); handled {
			return cmd, done
		}
	}
	switch {
	case key.Matches(press, l.Close):
		return nil, true
	case key.Matches(press, l.Menu.keys.Cancel):
		return nil, !l.Menu.ClearSearch()
	case !key.Matches(press, l.Menu.keys.Send):
		before := l.Menu.cursorIndex()
		cmd := l.Menu.Update(msg)
		if now := l.Menu.cursorIndex(); l.Moved != nil && now >= 0 && now != before {
			cmd = tea.Batch(cmd, l.Moved(now))
		}
		return cmd, false
	}
	i, ok := l.Menu.ChosenIndex()
	if !ok {
		if index := l.Menu.cursorIndex(); index >= 0 && l.Refuse != nil {
			l.notice = l.Refuse(index)
		}
		return nil, false
	}
	return l.Choose(i)
}

// Resize sets the size of the window.
func (l *ListOverlay) Resize(width, height int) {
	l.width, l.Height = width, height
	l.Menu.Resize(width, height-4)
}

// DrawLines returns the lines of the window.
func (l *ListOverlay) DrawLines() []string {
	lines := []string{HeaderLine(l.Menu.st, l.Title, "", l.width), ""}
	lines = append(lines, l.Menu.DrawLines()...)
	var below []string
	if l.notice != "" {
		below = WrapStyled(l.Menu.st.Warn, l.notice, l.width)
	}
	below = append(below, FooterLine(l.Menu.st, l.Menu.FootWords(l.Foot), l.width))
	return append(terminal.FitLines(lines, l.width, max(l.Height-len(below), 0)), below...)
}

// IsTyping reports whether letters go into the search field.
func (l *ListOverlay) IsTyping() bool { return l.Menu.IsTyping() }

// ApplyStyles applies changed styles.
func (l *ListOverlay) ApplyStyles() { l.Menu.ApplyStyles() }
