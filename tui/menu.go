package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
)

// choice is a row of a menu. Its texts are clean.
type choice struct {
	title, about, tag string
	// locked rows can be read but not chosen; about says why.
	locked bool
}

// menu is a list to choose from with a search that is always on: letters
// narrow it, the arrows move, Enter chooses. height counts all its lines.
type menu struct {
	st      *styles
	keys    keyMap
	choices []choice
	shown   []int // indexes into choices
	cursor  int   // index into shown
	search  textinput.Model
	width   int
	height  int
}

func newMenu(st *styles, keys keyMap, choices []choice, placeholder string) *menu {
	m := &menu{st: st, keys: keys, choices: choices, search: newField(st, " / ", placeholder, st.faint)}
	m.narrow()
	return m
}

func (m *menu) resize(width, height int) {
	m.width, m.height = width, height
	m.search.Width = max(width-6, 1)
}

// Update moves and narrows. Enter is the owner's: it asks chosen.
func (m *menu) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
		return nil
	case key.Matches(press, m.keys.Up):
		m.move(-1)
	case key.Matches(press, m.keys.Down):
		m.move(1)
	case key.Matches(press, m.keys.PageUp):
		m.move(-m.fits())
	case key.Matches(press, m.keys.PageDown):
		m.move(m.fits())
	default:
		return m.narrowBy(msg)
	}
	return nil
}

func (m *menu) narrowBy(msg tea.Msg) tea.Cmd {
	before := m.search.Value()
	var cmd tea.Cmd
	if m.search, cmd = m.search.Update(msg); m.search.Value() != before {
		m.narrow()
	}
	return cmd
}

// clear empties the search and tells whether there was one.
func (m *menu) clear() bool {
	if m.search.Value() == "" {
		return false
	}
	m.search.SetValue("")
	m.narrow()
	return true
}

// narrow shows the choices that contain every word of the search.
func (m *menu) narrow() {
	words := strings.Fields(strings.ToLower(m.search.Value()))
	m.shown, m.cursor = m.shown[:0], 0
	for i, c := range m.choices {
		if hasAll(strings.ToLower(c.title+" "+c.about), words) {
			m.shown = append(m.shown, i)
		}
	}
}

func hasAll(s string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(s, w) {
			return false
		}
	}
	return true
}

func (m *menu) move(n int) { m.cursor = max(min(m.cursor+n, len(m.shown)-1), 0) }

// chosen is the index of the choice under the cursor, if it can be chosen.
func (m *menu) chosen() (int, bool) {
	if len(m.shown) == 0 {
		return 0, false
	}
	i := m.shown[m.cursor]
	return i, !m.choices[i].locked
}

// rows is how many lines one choice takes; a high window separates them.
func (m *menu) rows() int {
	if m.height >= 18 {
		return 3
	}
	return 2
}

// fits is how many choices the window shows.
func (m *menu) fits() int { return max((m.height-2)/m.rows(), 1) }

func (m *menu) view() []string {
	lines := []string{apart(m.search.View(), m.st.faint.Render(m.count())+" ", m.width), ""}
	if len(m.shown) == 0 {
		return fit(append(lines, m.st.faint.Render(" Nothing here has these words. Esc clears the search.")), m.width, m.height)
	}
	first := m.cursor / m.fits() * m.fits()
	for at := first; at < min(first+m.fits(), len(m.shown)); at++ {
		lines = append(lines, m.row(at)...)
	}
	return fit(lines, m.width, m.height)
}

func (m *menu) count() string {
	if len(m.shown) == 0 {
		return "0"
	}
	return fmt.Sprintf("%d of %d", m.cursor+1, len(m.shown))
}

func (m *menu) row(at int) []string {
	c := m.choices[m.shown[at]]
	mark, look := "   ", m.st.title
	if c.locked {
		look = m.st.faint
	}
	if at == m.cursor {
		mark, look = m.st.chosen.Render(" › "), m.st.chosen
	}
	tag := ""
	if c.tag != "" {
		tag = m.st.faint.Render(c.tag) + " "
	}
	lines := []string{
		mark + apart(look.Render(cut(c.title, m.width-4)), tag, m.width-3),
		"   " + m.st.faint.Render(cut(c.about, m.width-4)),
	}
	if m.rows() == 3 {
		lines = append(lines, "")
	}
	return lines
}
