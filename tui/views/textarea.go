package views

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/terminal"
)

// textArea stores grapheme clusters, because the cursor must not stop inside an emoji.
type textArea struct {
	text   string
	parts  []part // a line end is a part
	rows   []int  // first part of each row; never empty
	cursor int
	want   int // column for moveUp and moveDown, or -1

	width  int
	height int
	top    int
}

type part struct {
	text  string
	cells int
}

func newTextArea() *textArea {
	return &textArea{rows: []int{0}, want: -1, width: 1, height: 1}
}

func splitParts(text string) []part {
	list := make([]part, 0, len(text))
	for text != "" {
		character, cells := text[:1], 1
		switch {
		case character == "\n":
			cells = 0
		case text[0] >= 0x80 || len(text) > 1 && text[1] >= 0x80:
			character, _ = ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
			cells = ansi.StringWidth(character)
		}
		list, text = append(list, part{character, cells}), text[len(character):]
	}
	return list
}

func joinedParts(list []part) string {
	var b strings.Builder
	for _, p := range list {
		b.WriteString(p.text)
	}
	return b.String()
}

func (e *textArea) SetText(text string) {
	e.parts = splitParts(text)
	e.cursor, e.top = len(e.parts), 0
	e.wrap()
}

func (e *textArea) InsertText(text string) { e.replace(e.cursor, e.cursor, text) }

// maxJoined is the number of adjacent parts that are split again, because characters may combine.
const maxJoined = 32

func (e *textArea) replace(from, to int, text string) {
	first, last := max(from-maxJoined, 0), min(to+maxJoined, len(e.parts))
	before := joinedParts(e.parts[first:from]) + text
	fresh := splitParts(before + joinedParts(e.parts[to:last]))
	e.cursor = first
	for bytes := 0; bytes < len(before); e.cursor++ {
		bytes += len(fresh[e.cursor-first].text)
	}
	e.parts = slices.Replace(e.parts, first, last, fresh...)
	e.wrap()
}

func (e *textArea) wrap() {
	e.text, e.rows, e.want = joinedParts(e.parts), rowsOf(e.parts, e.width, e.rows[:0]), -1
}

// rowsOf breaks text into rows of at most width cells. A full row may end with one extra space.
func rowsOf(list []part, width int, rows []int) []int {
	rows = append(rows, 0)
	row, word := 0, 0    // cells of the row and of its last word
	first, begun := 0, 0 // starts of the row and the word
	for i, cluster := range list {
		if cluster.text == "\n" {
			if row > width {
				rows = append(rows, i)
			}
			rows = append(rows, i+1)
			row, word, first, begun = 0, 0, i+1, i+1
			continue
		}
		if cluster.cells > 1 {
			word, begun = 0, i
		}
		hangs := cluster.text == " " && row == width
		if row+cluster.cells > width && !hangs && i > first {
			if begun <= first || cluster.text == " " {
				word, begun = 0, i
			}
			first, row = begun, word
			rows = append(rows, first)
		}
		row += cluster.cells
		word += cluster.cells
		if cluster.cells > 1 || cluster.text == " " || cluster.text == "-" {
			word, begun = 0, i+1
		}
	}
	if row > width {
		rows = append(rows, len(list))
	}
	return rows
}

func (e *textArea) Resize(width int) {
	width = max(width, 1)
	if width != e.width {
		e.width, e.top = width, 0
		e.wrap()
	}
}

func (e *textArea) isAt(i int, text string) bool {
	return i >= 0 && i < len(e.parts) && e.parts[i].text == text
}

func (e *textArea) atLineStart() bool { return e.cursor == 0 || e.isAt(e.cursor-1, "\n") }
func (e *textArea) atLineEnd() bool   { return e.cursor == len(e.parts) || e.isAt(e.cursor, "\n") }

func (e *textArea) lineEnd() int {
	i := e.cursor
	for i < len(e.parts) && !e.isAt(i, "\n") {
		i++
	}
	return i
}

func (e *textArea) wordLeft() int {
	i := e.cursor
	for e.isAt(i-1, " ") {
		i--
	}
	for i > 0 && !e.isAt(i-1, " ") && !e.isAt(i-1, "\n") {
		i--
	}
	return i
}

func (e *textArea) wordRight() int {
	i := e.cursor
	for e.isAt(i, " ") {
		i++
	}
	for i < len(e.parts) && !e.isAt(i, " ") && !e.isAt(i, "\n") {
		i++
	}
	return i
}

func (e *textArea) moveTo(i int) { e.cursor, e.want = max(min(i, len(e.parts)), 0), -1 }

func (e *textArea) moveLeft()  { e.moveTo(e.cursor - 1) }
func (e *textArea) moveRight() { e.moveTo(e.cursor + 1) }
func (e *textArea) toEnd()     { e.moveTo(e.lineEnd()) }

func (e *textArea) toStart() {
	for !e.atLineStart() {
		e.moveLeft()
	}
	e.want = -1
}

func (e *textArea) goWordLeft() {
	if e.atLineStart() {
		e.moveLeft()
	}
	e.moveTo(e.wordLeft())
}

func (e *textArea) goWordRight() {
	if e.atLineEnd() {
		e.moveRight()
	}
	e.moveTo(e.wordRight())
}

func (e *textArea) erase(from, to int) { e.replace(max(from, 0), min(to, len(e.parts)), "") }

func (e *textArea) eraseBefore() { e.erase(e.cursor-1, e.cursor) }
func (e *textArea) eraseBehind() { e.erase(e.cursor, e.cursor+1) }
func (e *textArea) eraseAll()    { e.SetText("") }

func (e *textArea) eraseWord() {
	if e.atLineStart() {
		e.eraseBefore()
		return
	}
	e.erase(e.wordLeft(), e.cursor)
}

func (e *textArea) eraseNextWord() {
	if e.atLineEnd() {
		e.eraseBehind()
		return
	}
	e.erase(e.cursor, e.wordRight())
}

func (e *textArea) eraseToEnd() {
	if e.atLineEnd() {
		e.eraseBehind()
		return
	}
	e.erase(e.cursor, e.lineEnd())
}

var editorKeys = map[string]func(*textArea){
	"left": (*textArea).moveLeft, "ctrl+b": (*textArea).moveLeft,
	"right": (*textArea).moveRight, "ctrl+f": (*textArea).moveRight,
	"home": (*textArea).toStart, "ctrl+a": (*textArea).toStart,
	"end": (*textArea).toEnd, "ctrl+e": (*textArea).toEnd,
	"alt+left": (*textArea).goWordLeft, "alt+b": (*textArea).goWordLeft, "ctrl+left": (*textArea).goWordLeft,
	"alt+right": (*textArea).goWordRight, "alt+f": (*textArea).goWordRight, "ctrl+right": (*textArea).goWordRight,
	"backspace": (*textArea).eraseBefore, "ctrl+h": (*textArea).eraseBefore,
	"delete": (*textArea).eraseBehind,
	"ctrl+w": (*textArea).eraseWord, "alt+backspace": (*textArea).eraseWord,
	"alt+d": (*textArea).eraseNextWord, "alt+delete": (*textArea).eraseNextWord,
	"ctrl+u": (*textArea).eraseAll, "ctrl+k": (*textArea).eraseToEnd,
}

func (e *textArea) cursorRow() int {
	i, ok := slices.BinarySearch(e.rows, e.cursor)
	if ok {
		return i
	}
	return i - 1
}

func (e *textArea) atTop() bool    { return e.cursorRow() == 0 }
func (e *textArea) atBottom() bool { return e.cursorRow() == len(e.rows)-1 }

func (e *textArea) rowParts(row int) (from, to int) {
	from, to = e.rows[row], len(e.parts)
	if row < len(e.rows)-1 {
		to = e.rows[row+1]
	}
	if to > from && e.isAt(to-1, "\n") {
		to--
	}
	return from, to
}

func (e *textArea) moveUp() { e.landInRow(max(e.cursorRow()-1, 0), e.aimCell()) }

func (e *textArea) moveDown() { e.landInRow(min(e.cursorRow()+1, len(e.rows)-1), e.aimCell()) }

func (e *textArea) aimCell() int {
	if e.want < 0 {
		e.want = 0
		for _, p := range e.parts[e.rows[e.cursorRow()]:e.cursor] {
			e.want += p.cells
		}
	}
	return e.want
}

func (e *textArea) landInRow(row, cell int) {
	from, to := e.rowParts(row)
	e.cursor = from
	for cells := 0; e.cursor < to && cells+e.parts[e.cursor].cells <= cell; e.cursor++ {
		cells += e.parts[e.cursor].cells
	}
	if row < len(e.rows)-1 && e.cursor == e.rows[row+1] {
		e.cursor = max(e.cursor-1, from)
	}
}

func (e *textArea) showRows(height int) {
	row := e.cursorRow()
	e.height = height
	e.top = max(min(e.top, row, len(e.rows)-height), row-height+1, 0)
}

const (
	firstMargin = " › "
	nextMargin  = "   "
)

func (e *textArea) drawRows(st *Styles) []string {
	var lines []string
	for row := e.top; row < min(e.top+e.height, len(e.rows)); row++ {
		margin := nextMargin
		if row == 0 {
			margin = firstMargin
		}
		lines = append(lines, st.Player.Render(margin)+e.drawRow(st, row))
	}
	return lines
}

func (e *textArea) drawRow(st *Styles, row int) string {
	from, to := e.rowParts(row)
	if row != e.cursorRow() {
		return st.Text.Render(strings.TrimRight(joinedParts(e.parts[from:to]), " "))
	}
	under, rest := " ", ""
	if e.cursor < to {
		under, rest = e.parts[e.cursor].text, joinedParts(e.parts[e.cursor+1:to])
	}
	before := st.Text.Render(joinedParts(e.parts[from:e.cursor]))
	return before + terminal.CaretMark + st.Text.Reverse(true).Render(under) + st.Text.Render(rest)
}

const maxChanges = 100

type snapshot struct {
	text   string
	cursor int
}

type changeKind int

const (
	changeAlone changeKind = iota
	changeTyping
	changeErasing
	changeDeleting
)

type changes struct {
	before, undone []snapshot
	kind           changeKind
}

func (c *changes) note(before, after snapshot, kind changeKind, beginsWord bool) {
	if before.text == after.text {
		c.kind = changeAlone
		return
	}
	if kind == changeAlone || kind != c.kind || beginsWord {
		c.before = append(c.before, before)
		c.before = c.before[max(len(c.before)-maxChanges, 0):]
	}
	c.undone, c.kind = nil, kind
}

func kindOf(press tea.KeyMsg) changeKind {
	switch {
	case press.Paste || press.Alt:
	case press.Type == tea.KeyRunes, press.Type == tea.KeySpace:
		return changeTyping
	case press.Type == tea.KeyBackspace:
		return changeErasing
	case press.Type == tea.KeyDelete:
		return changeDeleting
	}
	return changeAlone
}

func (e *textArea) beginsWord(press tea.KeyMsg) bool {
	return press.Type == tea.KeyRunes && e.isAt(e.cursor-1, " ")
}

func (e *textArea) takeSnapshot() snapshot { return snapshot{e.text, e.cursor} }

func (input *Input) change(run func()) {
	before := input.edit.takeSnapshot()
	run()
	input.changes.note(before, input.edit.takeSnapshot(), changeAlone, true)
	input.growRows()
}

// Undo reverts the last change. refused is a message if nothing changed.
func (input *Input) Undo() (refused string) {
	return input.goTo(&input.changes.before, &input.changes.undone, "there is nothing to undo")
}

// Redo restores the last reverted change. refused is a message if nothing changed.
func (input *Input) Redo() (refused string) {
	return input.goTo(&input.changes.undone, &input.changes.before, "there is nothing to redo")
}

func (input *Input) goTo(from, to *[]snapshot, none string) (refused string) {
	last := len(*from) - 1
	if last < 0 {
		return none
	}
	e, s := input.edit, (*from)[last]
	*from, *to = (*from)[:last], append(*to, e.takeSnapshot())
	input.changes.kind = changeAlone
	e.SetText(s.text)
	e.moveTo(s.cursor)
	input.growRows()
	return ""
}
