package program

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/terminal"
)

// Renderer draws frames on a terminal. Methods are not safe for concurrent use.
type Renderer struct {
	out           io.Writer
	width, height int // cells, 0 if unknown
	lines         []string
	current       bool // the terminal shows lines
	buf           bytes.Buffer
	row           int
	caret         place
}

type place struct {
	row, column int
	isKnown     bool
}

// NewRenderer returns a Renderer for out. Concurrent writes to out must not be interleaved.
func NewRenderer(out io.Writer) *Renderer { return &Renderer{out: out} }

// Resize sets the size of the terminal. Larger frames are cut at the right and at the top.
func (r *Renderer) Resize(width, height int) {
	r.width, r.height = width, height
	r.Invalidate()
}

// Invalidate forces a complete redraw of the next frame.
func (r *Renderer) Invalidate() { r.current = false }

// Draw shows a frame of lines with text and SGR sequences. Draw makes one Write, or none for an
// unchanged frame. The cursor moves to a terminal.CaretMark.
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
	shownHeight := len(r.lines)
	if !r.current {
		shownHeight = r.height
	}
	if len(lines) < shownHeight {
		r.moveTo(len(lines), 0)
		r.buf.WriteString(ansi.EraseScreenBelow)
	}
	if caret.isKnown && (r.buf.Len() > 0 || caret != r.caret) {
		r.moveTo(caret.row, caret.column)
	}
	r.lines, r.caret, r.current = lines, caret, true
	if r.buf.Len() == 0 {
		return nil
	}
	_, err := r.out.Write(r.buf.Bytes())
	return err
}

func (r *Renderer) takeCaret(lines []string) (caret place) {
	for row, line := range lines {
		before, _, ok := strings.Cut(line, terminal.CaretMark)
		if !ok {
			continue
		}
		lines[row] = strings.ReplaceAll(line, terminal.CaretMark, "")
		if caret.isKnown {
			continue
		}
		caret = place{row, ansi.StringWidth(before), true}
		if r.width > 0 {
			caret.column = min(caret.column, r.width-1)
		}
	}
	return caret
}

// drawLine draws a complete line. A full line of disputed width is cleared first.
func (r *Renderer) drawLine(row int, line string) {
	r.moveTo(row, 0)
	width := ansi.StringWidth(line)
	if r.width > 0 && width > r.width {
		line = ansi.Truncate(line, r.width, "")
		width = ansi.StringWidth(line)
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

// moveTo counts rows and columns from 0. The first move of a frame goes through the top left,
// because the cursor's position is unknown.
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
