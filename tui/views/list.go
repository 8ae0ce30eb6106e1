package views

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// Choice is a row of a List. Texts are clean.
type Choice struct {
	Title, About, Tag string
	// Locked means that the row cannot be chosen. About contains the reason.
	Locked bool
	// More is invisible text for the search.
	More string
}

// List is a list of choices with a search field.
type List struct {
	st      *Styles
	keys    KeyMap
	choices []Choice
	shown   []int
	Cursor  int // index into shown
	Search  textinput.Model
	width   int
	height  int // with the search field
	// Dense draws each row on one line.
	Dense     bool
	searching bool
	// Excerpt shows the description around the first match.
	Excerpt bool
}

// NewList returns a list of all choices. placeholder is shown in an empty search field.
func NewList(st *Styles, keys KeyMap, choices []Choice, placeholder string) *List {
	l := &List{
		st: st, keys: keys, choices: choices, searching: !keys.Vim,
		Search: NewField(st, " / ", placeholder, st.Faint),
	}
	l.NarrowList()
	return l
}

// Resize sets the width and height in cells.
func (l *List) Resize(width, height int) {
	l.width, l.height = width, height
	l.Search.Width = max(width-20, 1) // leaves space for the count
}

// Update moves the cursor or changes the search. The caller handles Enter with ChosenIndex.
func (l *List) Update(msg tea.Msg) tea.Cmd {
	press, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
		return nil
	case key.Matches(press, l.keys.Up):
		l.MoveCursor(-1)
	case key.Matches(press, l.keys.Down):
		l.MoveCursor(1)
	case key.Matches(press, l.keys.PageUp):
		l.MoveCursor(-l.countFitting())
	case key.Matches(press, l.keys.PageDown):
		l.MoveCursor(l.countFitting())
	case key.Matches(press, l.keys.Top):
		l.MoveCursor(-len(l.shown))
	case key.Matches(press, l.keys.Bottom):
		l.MoveCursor(len(l.shown))
	case l.searching:
		before := l.Search.Value()
		var cmd tea.Cmd
		l.Search, cmd = l.Search.Update(msg)
		if l.Search.Value() != before {
			l.NarrowList()
		}
		return cmd
	case press.String() == "/":
		l.BeginSearch()
	}
	return nil
}

// BeginSearch sends letters to the search field.
func (l *List) BeginSearch() { l.searching = true }

// FootWords adapts the footer to the search mode.
func (l *List) FootWords(foot string) string {
	if l.searching {
		return foot
	}
	return strings.Replace(foot, "letters search", "/ searches", 1)
}

// IsTyping reports whether letters go into the search field.
func (l *List) IsTyping() bool { return l.searching }

// ClearSearch ends the search and reports whether the list was searching.
func (l *List) ClearSearch() bool {
	ended := l.keys.Vim && l.searching
	l.searching = !l.keys.Vim
	if l.Search.Value() == "" {
		return ended
	}
	l.Search.SetValue("")
	l.NarrowList()
	return true
}

// NarrowList shows the choices that contain every word of the search.
func (l *List) NarrowList() {
	words := strings.Fields(strings.ToLower(l.Search.Value()))
	l.shown, l.Cursor = l.shown[:0], 0
	for i, c := range l.choices {
		if conversation.HasAllWords(strings.ToLower(c.Title+" "+c.About+" "+c.More), words) {
			l.shown = append(l.shown, i)
		}
	}
}

// MoveCursor moves the cursor down by n choices, or up if n is negative.
func (l *List) MoveCursor(n int) { l.Cursor = max(min(l.Cursor+n, len(l.shown)-1), 0) }

// MoveCursorTo moves the cursor to a choice by index. A hidden choice has no effect.
func (l *List) MoveCursorTo(choice int) {
	if index := slices.Index(l.shown, choice); index >= 0 {
		l.Cursor = index
	}
}

// ChosenIndex returns the index of the choice under the cursor, and whether the choice is open.
func (l *List) ChosenIndex() (int, bool) {
	if len(l.shown) == 0 {
		return 0, false
	}
	i := l.shown[l.Cursor]
	return i, !l.choices[i].Locked
}

func (l *List) cursorIndex() int {
	if len(l.shown) == 0 {
		return -1
	}
	return l.shown[l.Cursor]
}

func (l *List) rowsPerChoice() int {
	switch {
	case l.Dense:
		return 1
	case l.height >= 18:
		return 3
	}
	return 2
}

func (l *List) countFitting() int { return max((l.height-2)/l.rowsPerChoice(), 1) }

// DrawLines returns exactly height lines.
func (l *List) DrawLines() []string {
	count := "0"
	if len(l.shown) > 0 {
		count = fmt.Sprintf("%d of %d", l.Cursor+1, len(l.shown))
	}
	lines := []string{terminal.PlaceApart(l.Search.View(), l.st.Faint.Render(count)+" ", l.width), ""}
	if len(l.shown) == 0 {
		lines = append(lines, l.st.Faint.Render(" Nothing matches these words. Esc clears the search."))
		return terminal.FitLines(lines, l.width, l.height)
	}
	first := l.Cursor / l.countFitting() * l.countFitting()
	for index := first; index < min(first+l.countFitting(), len(l.shown)); index++ {
		lines = append(lines, l.choiceLines(index)...)
	}
	return terminal.FitLines(lines, l.width, l.height)
}

func (l *List) choiceLines(index int) []string {
	choice := l.choices[l.shown[index]]
	mark, style := "   ", l.st.Title
	if choice.Locked {
		style = l.st.Faint
	}
	if index == l.Cursor {
		mark, style = l.st.Chosen.Render(" › "), l.st.Chosen
	}
	tag := ""
	if choice.Tag != "" {
		tag = l.st.Faint.Render(choice.Tag) + " "
	}
	if l.Dense {
		room := l.width - 5 - ansi.StringWidth(tag)
		title := style.Render(terminal.CutToWidth(choice.Title, room))
		return []string{mark + terminal.PlaceApart(l.denseLine(title, choice.About, room), tag, l.width-3)}
	}
	lines := []string{
		mark + terminal.PlaceApart(style.Render(terminal.CutToWidth(choice.Title, l.width-4)), tag, l.width-3),
		"   " + l.st.Faint.Render(terminal.CutToWidth(choice.About, l.width-4)),
	}
	if l.rowsPerChoice() == 3 {
		lines = append(lines, "")
	}
	return lines
}

func (l *List) denseLine(title, about string, width int) string {
	room := width - ansi.StringWidth(title) - 2
	if about == "" || room < 8 {
		return title
	}
	if l.Excerpt {
		about = cutExcerpt(about, strings.Fields(strings.ToLower(l.Search.Value())), room)
		return title + " " + l.st.Text.Render(terminal.CutToWidth(about, room))
	}
	return title + "  " + l.st.Faint.Render(terminal.CutToWidth(about, room))
}

func cutExcerpt(text string, words []string, width int) string {
	const before = 16 // bytes
	lower := strings.ToLower(text)
	if len(lower) != len(text) { // Lower case may have another length.
		text = lower
	}
	start, end := len(text), 0
	for _, w := range words {
		if i := strings.Index(lower, w); i >= 0 && i < start {
			start, end = i, i+len(w)
		}
	}
	if end == 0 || ansi.StringWidth(text[:end]) < width {
		return text
	}
	if i := strings.IndexByte(text[max(start-before, 0):start], ' '); i >= 0 {
		return "…" + text[max(start-before, 0)+i:]
	}
	return "…" + text[start:]
}

// ApplyStyles applies changed styles to the search field.
func (l *List) ApplyStyles() { StyleField(&l.Search, l.st, l.st.Faint) }

const headRows = 2

// ClickLine moves the cursor to the choice in a line. The result is false without a choice.
func (l *List) ClickLine(line int) bool {
	row := (line - headRows) / l.rowsPerChoice()
	index := l.Cursor/l.countFitting()*l.countFitting() + row
	if line < headRows || row >= l.countFitting() || index >= len(l.shown) {
		return false
	}
	l.Cursor = index
	return true
}

const overRows = 2

// ClickLine chooses the choice in a line, like Enter.
func (l *ListOverlay) ClickLine(line int) (tea.Cmd, bool) {
	if !l.Menu.ClickLine(line - overRows) {
		return nil, false
	}
	return l.Update(tea.KeyMsg{Type: tea.KeyEnter})
}
