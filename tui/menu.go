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

// list is a list to choose from with a search that is always on: letters
// narrow it, the arrows move, Enter chooses. height counts all its lines.
type list struct {
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

func newList(st *styles, keys keyMap, choices []choice, placeholder string) *list {
	m := &list{st: st, keys: keys, choices: choices, search: newField(st, " / ", placeholder, st.faint)}
	m.narrowList()
	return m
}

func (m *list) resize(width, height int) {
	m.width, m.height = width, height
	m.search.Width = max(width-20, 1) // Beside it there is the count.
}

// Update moves and narrows. Enter is the owner's: it asks chosen.
func (m *list) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
		return nil
	case key.Matches(press, m.keys.Up):
		m.moveCursor(-1)
	case key.Matches(press, m.keys.Down):
		m.moveCursor(1)
	case key.Matches(press, m.keys.PageUp):
		m.moveCursor(-m.countFitting())
	case key.Matches(press, m.keys.PageDown):
		m.moveCursor(m.countFitting())
	default:
		return m.narrowByKey(msg)
	}
	return nil
}

func (m *list) narrowByKey(msg tea.Msg) tea.Cmd {
	before := m.search.Value()
	var cmd tea.Cmd
	if m.search, cmd = m.search.Update(msg); m.search.Value() != before {
		m.narrowList()
	}
	return cmd
}

// clearSearch empties the search and tells whether there was one.
func (m *list) clearSearch() bool {
	if m.search.Value() == "" {
		return false
	}
	m.search.SetValue("")
	m.narrowList()
	return true
}

// narrowList shows the choices that contain every word of the search.
func (m *list) narrowList() {
	words := strings.Fields(strings.ToLower(m.search.Value()))
	m.shown, m.cursor = m.shown[:0], 0
	if m.fuzzy && len(words) > 0 {
		m.shown = rankChoices(m.choices, words)
		return
	}
	for i, c := range m.choices {
		if hasAllWords(strings.ToLower(c.title+" "+c.about+" "+c.more), words) {
			m.shown = append(m.shown, i)
		}
	}
}

func (m *list) moveCursor(n int) { m.cursor = max(min(m.cursor+n, len(m.shown)-1), 0) }

// chosenIndex is the index of the choice under the cursor, if it can be chosen.
func (m *list) chosenIndex() (int, bool) {
	if len(m.shown) == 0 {
		return 0, false
	}
	i := m.shown[m.cursor]
	return i, !m.choices[i].locked
}

// cursorIndex is the index of the choice under the cursor, -1 when none is shown.
func (m *list) cursorIndex() int {
	if len(m.shown) == 0 {
		return -1
	}
	return m.shown[m.cursor]
}

// rowsPerChoice is how many lines one choice takes; a high window separates them.
func (m *list) rowsPerChoice() int {
	switch {
	case m.dense:
		return 1
	case m.height >= 18:
		return 3
	}
	return 2
}

// countFitting is how many choices the window shows.
func (m *list) countFitting() int { return max((m.height-2)/m.rowsPerChoice(), 1) }

func (m *list) drawLines() []string {
	lines := []string{placeApart(m.search.View(), m.st.faint.Render(m.countWords())+" ", m.width), ""}
	if len(m.shown) == 0 {
		return fitLines(append(lines, m.st.faint.Render(" Nothing here has these words. Esc clears the search.")), m.width, m.height)
	}
	first := m.cursor / m.countFitting() * m.countFitting()
	for at := first; at < min(first+m.countFitting(), len(m.shown)); at++ {
		lines = append(lines, m.choiceLines(at)...)
	}
	return fitLines(lines, m.width, m.height)
}

func (m *list) countWords() string {
	if len(m.shown) == 0 {
		return "0"
	}
	return fmt.Sprintf("%d of %d", m.cursor+1, len(m.shown))
}

func (m *list) choiceLines(at int) []string {
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
		return []string{mark + placeApart(m.denseLine(look.Render(cutToWidth(c.title, room)), c.about, room), tag, m.width-3)}
	}
	lines := []string{
		mark + placeApart(look.Render(cutToWidth(c.title, m.width-4)), tag, m.width-3),
		"   " + m.st.faint.Render(cutToWidth(c.about, m.width-4)),
	}
	if m.rowsPerChoice() == 3 {
		lines = append(lines, "")
	}
	return lines
}

// denseLine is a dense row's title with as much of what is about it as there is room
// for.
func (m *list) denseLine(title, about string, width int) string {
	room := width - ansi.StringWidth(title) - 2
	if about == "" || room < 8 {
		return title
	}
	if m.excerpt {
		about = cutExcerpt(about, strings.Fields(strings.ToLower(m.search.Value())), room)
		return title + " " + m.st.text.Render(cutToWidth(about, room))
	}
	return title + "  " + m.st.faint.Render(cutToWidth(about, room))
}

// cutExcerpt is a text from a little before the first of the words, where that would
// not be in sight in so many cells: from the beginning of a word.
func cutExcerpt(text string, words []string, width int) string {
	const before = 16 // bytes
	lower := strings.ToLower(text)
	if len(lower) != len(text) { // Some letters have another length in lower case.
		text = lower
	}
	at, end := len(text), 0
	for _, w := range words {
		if i := strings.Index(lower, w); i >= 0 && i < at {
			at, end = i, i+len(w)
		}
	}
	if end == 0 || ansi.StringWidth(text[:end]) < width {
		return text
	}
	if i := strings.IndexByte(text[max(at-before, 0):at], ' '); i >= 0 {
		return "…" + text[max(at-before, 0)+i:]
	}
	return "…" + text[at:]
}

func (m *list) applyStyles() { styleField(&m.search, m.st, m.st.faint) }
