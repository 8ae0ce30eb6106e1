package tui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// choice is a row of a menu. Its texts are clean.
type choice struct {
	title, about, tag string
	// locked rows can be read but not chosen; about says why.
	locked bool
	// more is searched too, but not shown.
	more string
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
	// dense rows are one line, the title and what about there is room for; fuzzy
	// search finds words whose letters are left out, the best match first.
	dense, fuzzy bool
	// excerpt shows what is about a choice from where the search finds it.
	excerpt bool
}

func newMenu(st *styles, keys keyMap, choices []choice, placeholder string) *menu {
	m := &menu{st: st, keys: keys, choices: choices, search: newField(st, " / ", placeholder, st.faint)}
	m.narrow()
	return m
}

func (m *menu) resize(width, height int) {
	m.width, m.height = width, height
	m.search.Width = max(width-20, 1) // Beside it there is the count.
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
	if m.fuzzy && len(words) > 0 {
		m.shown = ranked(m.choices, words)
		return
	}
	for i, c := range m.choices {
		if hasAll(strings.ToLower(c.title+" "+c.about+" "+c.more), words) {
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

// at is the index of the choice under the cursor, -1 when none is shown.
func (m *menu) at() int {
	if len(m.shown) == 0 {
		return -1
	}
	return m.shown[m.cursor]
}

// rows is how many lines one choice takes; a high window separates them.
func (m *menu) rows() int {
	switch {
	case m.dense:
		return 1
	case m.height >= 18:
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
	if m.dense {
		room := m.width - 5 - ansi.StringWidth(tag)
		return []string{mark + apart(m.line(look.Render(cut(c.title, room)), c.about, room), tag, m.width-3)}
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

// line is a dense row's title with as much of what is about it as there is room
// for.
func (m *menu) line(title, about string, width int) string {
	room := width - ansi.StringWidth(title) - 2
	if about == "" || room < 8 {
		return title
	}
	if m.excerpt {
		about = excerpt(about, strings.Fields(strings.ToLower(m.search.Value())), room)
		return title + " " + m.st.text.Render(cut(about, room))
	}
	return title + "  " + m.st.faint.Render(cut(about, room))
}
