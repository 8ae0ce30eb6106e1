package views

import (
	tea "github.com/charmbracelet/bubbletea"
)

// headRows are the lines above a list's rows: the search, and a blank one.
const headRows = 2

// ClickLine goes to the choice that a line of the list shows, and reports whether there is
// one.
func (l *List) ClickLine(line int) bool {
	row := (line - headRows) / l.rowsPerChoice()
	at := l.Cursor/l.countFitting()*l.countFitting() + row
	if line < headRows || row >= l.countFitting() || at >= len(l.shown) {
		return false
	}
	l.Cursor = at
	return true
}

// overRows are the lines above the list of an overlay: its title, and a blank one.
const overRows = 2

// ClickLine chooses what a line of the window shows.
func (l *ListOverlay) ClickLine(line int) (tea.Cmd, bool) {
	if !l.Menu.ClickLine(line - overRows) {
		return nil, false
	}
	return l.Update(tea.KeyMsg{Type: tea.KeyEnter})
}
