package views

import "github.com/charmbracelet/x/ansi"

// ClickAt moves the cursor to a cell of a shown row.
func (in *Input) ClickAt(row, cell int) {
	e, s := in.edit, in.edit.top
	for ; row > 0; row-- {
		if s.row++; s.row == len(e.lines[s.line].rows) {
			s = rowPlace{s.line + 1, 0}
		}
		if s.line == len(e.lines) {
			return
		}
	}
	e.line, e.want = s.line, -1
	e.landInRow(s.row, max(cell-ansi.StringWidth(firstMargin), 0))
	in.growRows()
}
