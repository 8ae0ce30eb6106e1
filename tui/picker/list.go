package picker

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/keymap"
	"github.com/parley-npc/parley/tui/styles"
	"github.com/parley-npc/parley/tui/terminal"
)

// Choice is a row of a menu. Its texts are clean.
type Choice struct {
	Title, About, Tag string
	// Locked rows can be read but not chosen; about says why.
	Locked bool
	// More is searched too, but not shown.
	More string
}

// List is a list to choose from with a search that is always on: letters
// narrow it, the arrows move, Enter chooses. height counts all its lines.
type List struct {
	st      *styles.Set
	keys    keymap.Map
	choices []Choice
	shown   []int // indexes into choices
	Cursor  int   // index into shown
	Search  textinput.Model
	width   int
	height  int
	// Dense rows are one line, the title and what about there is room for; fuzzy
	// search finds words whose letters are left out, the best match first.
	Dense, Fuzzy bool
	// Excerpt shows what is about a choice from where the search finds it.
	Excerpt bool
}

// NewList shows all choices; placeholder stands in its empty search.
func NewList(st *styles.Set, keys keymap.Map, choices []Choice, placeholder string) *List {
	m := &List{st: st, keys: keys, choices: choices, Search: styles.NewField(st, " / ", placeholder, st.Faint)}
	m.NarrowList()
	return m
}

// Resize gives it a width and a height in cells.
func (m *List) Resize(width, height int) {
	m.width, m.height = width, height
	m.Search.Width = max(width-20, 1) // Beside it there is the count.
}

// Update moves and narrows. Enter is the owner's: it asks chosen.
func (m *List) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
		return nil
	case key.Matches(press, m.keys.Up):
		m.MoveCursor(-1)
	case key.Matches(press, m.keys.Down):
		m.MoveCursor(1)
	case key.Matches(press, m.keys.PageUp):
		m.MoveCursor(-m.countFitting())
	case key.Matches(press, m.keys.PageDown):
		m.MoveCursor(m.countFitting())
	default:
		return m.narrowByKey(msg)
	}
	return nil
}

func (m *List) narrowByKey(msg tea.Msg) tea.Cmd {
	before := m.Search.Value()
	var cmd tea.Cmd
	if m.Search, cmd = m.Search.Update(msg); m.Search.Value() != before {
		m.NarrowList()
	}
	return cmd
}

// ClearSearch empties the search and tells whether there was one.
func (m *List) ClearSearch() bool {
	if m.Search.Value() == "" {
		return false
	}
	m.Search.SetValue("")
	m.NarrowList()
	return true
}

// NarrowList shows the choices that contain every word of the search.
func (m *List) NarrowList() {
	words := strings.Fields(strings.ToLower(m.Search.Value()))
	m.shown, m.Cursor = m.shown[:0], 0
	if m.Fuzzy && len(words) > 0 {
		m.shown = rankChoices(m.choices, words)
		return
	}
	for i, c := range m.choices {
		if conversation.HasAllWords(strings.ToLower(c.Title+" "+c.About+" "+c.More), words) {
			m.shown = append(m.shown, i)
		}
	}
}

// MoveCursor goes n choices down, up when n is negative.
func (m *List) MoveCursor(n int) { m.Cursor = max(min(m.Cursor+n, len(m.shown)-1), 0) }

// ChosenIndex is the index of the choice under the cursor, if it can be chosen.
func (m *List) ChosenIndex() (int, bool) {
	if len(m.shown) == 0 {
		return 0, false
	}
	i := m.shown[m.Cursor]
	return i, !m.choices[i].Locked
}

// cursorIndex is the index of the choice under the cursor, -1 when none is shown.
func (m *List) cursorIndex() int {
	if len(m.shown) == 0 {
		return -1
	}
	return m.shown[m.Cursor]
}

// rowsPerChoice is how many lines one choice takes; a high window separates them.
func (m *List) rowsPerChoice() int {
	switch {
	case m.Dense:
		return 1
	case m.height >= 18:
		return 3
	}
	return 2
}

// countFitting is how many choices the window shows.
func (m *List) countFitting() int { return max((m.height-2)/m.rowsPerChoice(), 1) }

// DrawLines are its lines, exactly its height.
func (m *List) DrawLines() []string {
	lines := []string{terminal.PlaceApart(m.Search.View(), m.st.Faint.Render(m.countWords())+" ", m.width), ""}
	if len(m.shown) == 0 {
		return terminal.FitLines(append(lines, m.st.Faint.Render(" Nothing here has these words. Esc clears the search.")), m.width, m.height)
	}
	first := m.Cursor / m.countFitting() * m.countFitting()
	for at := first; at < min(first+m.countFitting(), len(m.shown)); at++ {
		lines = append(lines, m.choiceLines(at)...)
	}
	return terminal.FitLines(lines, m.width, m.height)
}

func (m *List) countWords() string {
	if len(m.shown) == 0 {
		return "0"
	}
	return fmt.Sprintf("%d of %d", m.Cursor+1, len(m.shown))
}

func (m *List) choiceLines(at int) []string {
	c := m.choices[m.shown[at]]
	mark, look := "   ", m.st.Title
	if c.Locked {
		look = m.st.Faint
	}
	if at == m.Cursor {
		mark, look = m.st.Chosen.Render(" › "), m.st.Chosen
	}
	tag := ""
	if c.Tag != "" {
		tag = m.st.Faint.Render(c.Tag) + " "
	}
	if m.Dense {
		room := m.width - 5 - ansi.StringWidth(tag)
		return []string{mark + terminal.PlaceApart(m.denseLine(look.Render(terminal.CutToWidth(c.Title, room)), c.About, room), tag, m.width-3)}
	}
	lines := []string{
		mark + terminal.PlaceApart(look.Render(terminal.CutToWidth(c.Title, m.width-4)), tag, m.width-3),
		"   " + m.st.Faint.Render(terminal.CutToWidth(c.About, m.width-4)),
	}
	if m.rowsPerChoice() == 3 {
		lines = append(lines, "")
	}
	return lines
}

// denseLine is a dense row's title with as much of what is about it as there is room
// for.
func (m *List) denseLine(title, about string, width int) string {
	room := width - ansi.StringWidth(title) - 2
	if about == "" || room < 8 {
		return title
	}
	if m.Excerpt {
		about = cutExcerpt(about, strings.Fields(strings.ToLower(m.Search.Value())), room)
		return title + " " + m.st.Text.Render(terminal.CutToWidth(about, room))
	}
	return title + "  " + m.st.Faint.Render(terminal.CutToWidth(about, room))
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

// ApplyStyles draws it anew in other colours.
func (m *List) ApplyStyles() { styles.StyleField(&m.Search, m.st, m.st.Faint) }
