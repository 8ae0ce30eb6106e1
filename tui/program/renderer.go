package program

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/terminal"
)

// Renderer knows what a terminal shows. It belongs to one goroutine.
type Renderer struct {
	out           io.Writer
	width, height int // of the terminal in cells, 0 for unknown
	lines         []string
	current       bool // the terminal shows lines, and nothing else
	buf           bytes.Buffer
	row           int // where the cursor is, counted from 0
	caret         place
}

// place is a cell, counted from 0; known is false for none.
type place struct {
	row, column int
	known       bool
}

// NewRenderer returns a renderer for out. Each Write should reach the terminal as one.
func NewRenderer(out io.Writer) *Renderer { return &Renderer{out: out} }

// Resize reports how many cells the terminal has: wider lines are cut at the right, of
// higher frames the top is left out. The next frame is drawn whole.
func (r *Renderer) Resize(width, height int) {
	r.width, r.height = width, height
	r.Invalidate()
}

// Invalidate reports that the terminal may show anything: the next frame is drawn whole.
func (r *Renderer) Invalidate() { r.current = false }

// Draw makes the terminal show a frame: lines of text and SGR sequences, with "\n"
// between them. Looks end with their line. A frame that is shown already writes nothing.
// All is written at once and begins with the cursor's way home. It ends with the cursor at
// the caret, if the frame has a terminal.CaretMark.
func (r *Renderer) Draw(frame string) error {
	lines := strings.Split(frame, "\n")
	if r.height > 0 && len(lines) > r.height {
		lines = lines[len(lines)-r.height:]
	}
	caret := r.takeCaret(lines)
	r.buf.Reset()
	for i, line := range lines {
		switch {
		case !r.current || i >= len(r.lines):
			r.drawLine(i, line)
		case line != r.lines[i]:
			r.updateLine(i, r.lines[i], line)
		}
	}
	if !r.current && len(lines) < r.height || r.current && len(lines) < len(r.lines) {
		r.moveTo(len(lines), 0)
		r.buf.WriteString(ansi.EraseScreenBelow)
	}
	if caret.known && (r.buf.Len() > 0 || caret != r.caret) {
		r.moveTo(caret.row, caret.column)
	}
	r.lines, r.caret, r.current = lines, caret, true
	if r.buf.Len() == 0 {
		return nil
	}
	_, err := r.out.Write(r.buf.Bytes())
	return err
}

// takeCaret takes the mark of the caret out of the lines, and returns the first place of it.
func (r *Renderer) takeCaret(lines []string) (caret place) {
	for row, line := range lines {
		before, _, found := strings.Cut(line, terminal.CaretMark)
		if !found {
			continue
		}
		lines[row] = strings.ReplaceAll(line, terminal.CaretMark, "")
		if caret.known {
			continue
		}
		caret = place{row, ansi.StringWidth(before), true}
		if r.width > 0 {
			caret.column = min(caret.column, r.width-1)
		}
	}
	return caret
}

// drawLine draws a whole line over the old content. A line of disputed width that should fill the
// row clears the row first; any other line clears the rest.
func (r *Renderer) drawLine(row int, line string) {
	r.moveTo(row, 0)
	width := ansi.StringWidth(line)
	if r.width > 0 && width > r.width {
		line = ansi.Truncate(line, r.width, "")
		width = ansi.StringWidth(line) // One less where half a character had room.
	}
	fills := r.width > 0 && width == r.width
	if _, plain := readCells(line, r.width); fills && !plain {
		r.buf.WriteString(ansi.EraseLineRight)
	}
	r.buf.WriteString(line)
	if strings.Contains(line, "\x1b") && !strings.HasSuffix(line, "\x1b[0m") && !strings.HasSuffix(line, resetStyle) {
		r.buf.WriteString(resetStyle)
	}
	if !fills {
		r.buf.WriteString(ansi.EraseLineRight)
	}
}

// updateLine makes one line of another: the cells that differ, where both lines are of
// cells that no terminal disputes.
func (r *Renderer) updateLine(row int, from, to string) {
	before, plainBefore := readCells(from, r.width)
	after, plain := readCells(to, r.width)
	if !plainBefore || !plain {
		r.drawLine(row, to)
		return
	}
	for _, s := range findSpans(before, after) {
		r.moveTo(row, s.from)
		r.writeCells(after[s.from:s.to])
	}
	if len(after) < len(before) {
		r.moveTo(row, len(after))
		r.buf.WriteString(ansi.EraseLineRight)
	}
}

// writeCells writes cells at the cursor and resets the style.
func (r *Renderer) writeCells(cells []cell) {
	style := ""
	for _, c := range cells {
		more, continues := strings.CutPrefix(c.style, style)
		if !continues {
			r.buf.WriteString(resetStyle)
			more = c.style
		}
		style = c.style
		r.buf.WriteString(more)
		r.buf.WriteRune(c.character)
	}
	if style != "" {
		r.buf.WriteString(resetStyle)
	}
}

// moveTo puts the cursor into a cell, counted from 0; the first time from its home.
func (r *Renderer) moveTo(row, column int) {
	if r.buf.Len() == 0 {
		r.buf.WriteString(ansi.CursorHomePosition)
		r.row = 0
		if row == 0 && column == 0 {
			return
		}
	}
	switch {
	case row == r.row:
		r.buf.WriteString("\x1b[" + strconv.Itoa(column+1) + "G")
	case row == r.row+1 && column == 0:
		r.buf.WriteString("\r\n")
	default:
		r.buf.WriteString(ansi.CursorPosition(column+1, row+1))
	}
	r.row = row
}
