package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// listOverlay is an overlay with a list: letters narrow it, Enter chooses, Esc clears
// the search and then closes.
type listOverlay struct {
	menu        *list
	title, foot string
	// close is a key beside Esc that closes the list: the one that opens it.
	close key.Binding
	// choose is told the index of what was chosen.
	choose func(i int) (cmd tea.Cmd, done bool)
	// also takes other keys first; it is nil where there are none. i is the index
	// under the cursor, -1 for none.
	also          func(press tea.KeyMsg, i int) (cmd tea.Cmd, took, done bool)
	width, height int
}

// Update takes keys.
func (l *listOverlay) Update(msg tea.Msg) (tea.Cmd, bool) {
	press, pressed := msg.(tea.KeyMsg)
	if !pressed {
		return nil, false
	}
	if l.also != nil {
		if cmd, took, done := l.also(press, l.menu.cursorIndex()); took {
			return cmd, done
		}
	}
	switch {
	case key.Matches(press, l.close):
		return nil, true
	case key.Matches(press, l.menu.keys.Cancel):
		return nil, !l.menu.clearSearch()
	case !key.Matches(press, l.menu.keys.Send):
		return l.menu.Update(msg), false
	}
	i, ok := l.menu.chosenIndex()
	if !ok {
		return nil, false
	}
	return l.choose(i)
}

func (l *listOverlay) resize(width, height int) {
	l.width, l.height = width, height
	l.menu.resize(width, height-4)
}

func (l *listOverlay) drawLines() []string {
	lines := []string{headerLine(l.menu.st, l.title, "", l.width), ""}
	lines = append(lines, l.menu.drawLines()...)
	return append(fitLines(lines, l.width, l.height-1), footerLine(l.menu.st, l.foot, l.width))
}

func (l *listOverlay) applyStyles() { l.menu.applyStyles() }
