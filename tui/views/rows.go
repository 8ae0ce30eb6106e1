package views

import (
	"slices"
	"strings"

	"github.com/parley-npc/parley/tui/terminal"
)

func (e *textArea) wrapLine(list []part) textLine { return textLine{list, rowsOf(list, e.width)} }

// rowsOf wraps a line into rows of at most width cells, and returns the index of each row's first
// part. A space may follow a full row, in the extra cell for the cursor.
func rowsOf(list []part, width int) []int {
	rows := []int{0}
	row, word := 0, 0    // cells of the row, and of the last, incomplete word
	first, begun := 0, 0 // where the row and the word begin
	for i, p := range list {
		if p.cells > 1 {
			word, begun = 0, i
		}
		hangs := p.text == " " && row == width
		if row+p.cells > width && !hangs && i > first {
			if begun <= first || p.text == " " {
				word, begun = 0, i
			}
			first, row = begun, word
			rows = append(rows, first)
		}
		row += p.cells
		if word += p.cells; p.cells > 1 || p.text == " " || p.text == "-" {
			word, begun = 0, i+1
		}
	}
	if row > width { // A row for the cursor after a space that follows a full row.
		rows = append(rows, len(list))
	}
	return rows
}

// Resize sets the width of the rows. showRows sets their number.
func (e *textArea) Resize(width int) {
	if width = max(width, 1); width == e.width {
		return
	}
	e.width, e.want = width, -1
	for i := range e.lines {
		e.lines[i].rows = rowsOf(e.lines[i].parts, width)
	}
	e.top = rowPlace{}
}

func (e *textArea) countRows(most int) int {
	n := 0
	for i := 0; i < len(e.lines) && n < most; i++ {
		n += len(e.lines[i].rows)
	}
	return min(n, most)
}

func (e *textArea) cursorRow() int {
	i, found := slices.BinarySearch(e.currentLine().rows, e.at)
	if found {
		return i
	}
	return i - 1
}

func (e *textArea) atTop() bool { return e.line == 0 && e.cursorRow() == 0 }
func (e *textArea) atBottom() bool {
	return e.line == len(e.lines)-1 && e.cursorRow() == len(e.currentLine().rows)-1
}

// moveUp moves the cursor to the row above. Several calls of moveUp and moveDown aim at the cell
// where the first call began.
func (e *textArea) moveUp() {
	aim, row := e.aimCell(), e.cursorRow()-1
	if row < 0 && e.line > 0 {
		e.line--
		row = len(e.currentLine().rows) - 1
	}
	e.landInRow(max(row, 0), aim)
}

func (e *textArea) moveDown() {
	aim, row := e.aimCell(), e.cursorRow()+1
	if row == len(e.currentLine().rows) && e.line < len(e.lines)-1 {
		e.line++
		row = 0
	}
	e.landInRow(min(row, len(e.currentLine().rows)-1), aim)
}

func (e *textArea) aimCell() int {
	if e.want < 0 {
		e.want = 0
		for _, p := range e.currentLine().parts[e.currentLine().rows[e.cursorRow()]:e.at] {
			e.want += p.cells
		}
	}
	return e.want
}

func (e *textArea) landInRow(row, cell int) {
	from, to := e.currentLine().rowParts(row)
	e.at = from
	for cells := 0; e.at < to && cells+e.currentLine().parts[e.at].cells <= cell; e.at++ {
		cells += e.currentLine().parts[e.at].cells
	}
	if row < len(e.currentLine().rows)-1 && e.at == to { // The next row begins at to.
		e.at = max(to-1, from)
	}
}

func (l *textLine) rowParts(i int) (from, to int) {
	if i == len(l.rows)-1 {
		return l.rows[i], len(l.parts)
	}
	return l.rows[i], l.rows[i+1]
}

func (e *textArea) showRows(height int) {
	e.height = height
	cursor := rowPlace{e.line, e.cursorRow()}
	if e.top.line >= len(e.lines) || e.top.row >= len(e.lines[e.top.line].rows) || isBefore(cursor, e.top) {
		e.top = cursor
	}
	if first := e.rowAbove(cursor, height-1); isBefore(e.top, first) {
		e.top = first
	}
	last := len(e.lines) - 1
	if first := e.rowAbove(rowPlace{last, len(e.lines[last].rows) - 1}, height-1); isBefore(first, e.top) {
		e.top = first
	}
}

// rowPlace is a row: the index of a line, and the index of the row in that line.
type rowPlace struct{ line, row int }

func isBefore(a, b rowPlace) bool { return a.line < b.line || a.line == b.line && a.row < b.row }

func (e *textArea) rowAbove(s rowPlace, n int) rowPlace {
	for n > s.row {
		if s.line == 0 {
			return rowPlace{}
		}
		n -= s.row + 1
		s.line--
		s.row = len(e.lines[s.line].rows) - 1
	}
	s.row -= n
	return s
}

// The margins before the first row of the input and before the other rows.
const (
	firstMargin = " › "
	nextMargin  = "   "
)

func (e *textArea) drawRows(st *Styles) []string {
	lines := make([]string, 0, e.height)
	for s := e.top; len(lines) < e.height && s.line < len(e.lines); {
		margin := nextMargin
		if s == (rowPlace{}) {
			margin = firstMargin
		}
		lines = append(lines, st.Player.Render(margin)+e.drawRow(st, s))
		if s.row++; s.row == len(e.lines[s.line].rows) {
			s = rowPlace{s.line + 1, 0}
		}
	}
	return lines
}

func (e *textArea) drawRow(st *Styles, s rowPlace) string {
	l := &e.lines[s.line]
	from, to := l.rowParts(s.row)
	if s.line != e.line || s.row != e.cursorRow() {
		return st.Text.Render(strings.TrimRight(joinedParts(l.parts[from:to]), " "))
	}
	under, rest := " ", ""
	if e.at < to {
		under, rest = l.parts[e.at].text, joinedParts(l.parts[e.at+1:to])
	}
	return st.Text.Render(joinedParts(l.parts[from:e.at])) + terminal.CaretMark + st.Text.Reverse(true).Render(under) + st.Text.Render(rest)
}
