package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/terminal"
)

// PrintTable writes rows to stdout, aligned below head on a terminal. Elsewhere it separates
// columns by tabs and omits head.
func (s *Streams) PrintTable(head []string, rows [][]string) error {
	if !s.TTY.Out {
		_, err := io.WriteString(s.Out, formatTSV(rows))
		return err
	}
	cleaned := make([][]string, 0, len(rows)+1)
	if len(head) > 0 {
		cleaned = append(cleaned, head)
	}
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = terminal.Clean(cell)
		}
		cleaned = append(cleaned, cells)
	}
	text := s.Repertoire().LimitText(alignColumns(cleaned, s.Width()))
	if len(head) > 0 {
		first, rest, _ := strings.Cut(text, "\n")
		text = s.StyleFor(true).Bold(first) + "\n" + rest
	}
	_, err := io.WriteString(s.Out, text)
	return err
}

func formatTSV(rows [][]string) string {
	escape := strings.NewReplacer("\t", `\t`, "\n", `\n`, "\r", `\r`)
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(terminal.Clean(escape.Replace(cell)))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

const (
	columnGap      = "  "
	minColumnWidth = 12
)

func alignColumns(rows [][]string, width int) string {
	widths := columnWidths(rows)
	if width > 0 {
		fitColumns(widths, width)
	}
	var b strings.Builder
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			cell = cutToWidth(cell, widths[i])
			line += cell
			if i < len(row)-1 {
				line += strings.Repeat(" ", widths[i]-ansi.StringWidth(cell)) + columnGap
			}
		}
		if width > 0 {
			line = ansi.Truncate(line, width, "")
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func columnWidths(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], ansi.StringWidth(cell))
		}
	}
	return widths
}

func fitColumns(widths []int, width int) {
	if len(widths) == 0 {
		return
	}
	excess := (len(widths) - 1) * len(columnGap)
	for _, w := range widths {
		excess += w
	}
	excess -= width
	last := len(widths) - 1
	if cut := min(excess, widths[last]-minColumnWidth); cut > 0 {
		widths[last] -= cut
		excess -= cut
	}
	for ; excess > 0; excess-- {
		widest := slices.Index(widths, slices.Max(widths))
		if widths[widest] <= 1 {
			return
		}
		widths[widest]--
	}
}

func cutToWidth(text string, width int) string {
	if ansi.StringWidth(text) <= width {
		return text
	}
	return ansi.Truncate(text, max(width, 1), "…")
}

// Pluralize returns a number and a noun, with a plural s unless n is 1.
func Pluralize(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func ValueOr(text *string, other string) string {
	if text == nil {
		return other
	}
	return *text
}

// MinuteLayout is the layout of times for users. Texts outside a table append " MST".
const MinuteLayout = "2006-01-02 15:04"

// ShownTime converts a time to the local zone on a terminal, and to UTC elsewhere.
func (s *Streams) ShownTime(t time.Time) time.Time {
	if s.TTY.Out {
		return LocalTime(t)
	}
	return t.UTC()
}

// LocalTime converts a time to the local zone, for texts on stderr.
func LocalTime(t time.Time) time.Time { return t.Local() }
