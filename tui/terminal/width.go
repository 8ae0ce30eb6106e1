package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/cellbuf"
)

// CutToWidth shortens a line to a width in cells. A shortened line ends with an ellipsis.
func CutToWidth(s string, width int) string {
	if width <= 0 {
		return ""
	}
	return ansi.Truncate(s, width, "…")
}

// PadToWidth appends spaces to a line up to a width in cells.
func PadToWidth(s string, width int) string {
	if missing := width - ansi.StringWidth(s); missing > 0 {
		return s + strings.Repeat(" ", missing)
	}
	return s
}

// PlaceApart puts left and right at the two ends of a line, or drops right and cuts left.
func PlaceApart(left, right string, width int) string {
	gap := width - ansi.StringWidth(left) - ansi.StringWidth(right)
	if gap < 2 {
		return CutToWidth(left, width)
	}
	return left + strings.Repeat(" ", gap) + right
}

// FitLines cuts lines to a width and returns exactly height lines. Missing lines are empty.
func FitLines(lines []string, width, height int) []string {
	if len(lines) > height {
		lines = lines[:height]
	}
	for i, line := range lines {
		if ansi.StringWidth(line) > width {
			line = CutToWidth(line, width)
		}
		lines[i] = keepOrder(line)
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return lines
}

// CentreLines indents lines to the centre of a window. widest is the width of the longest line.
func CentreLines(lines []string, widest, window int) []string {
	return IndentLines(lines, max(window-widest, 0)/2)
}

// IndentLines puts margin spaces before each line.
func IndentLines(lines []string, margin int) []string {
	if margin == 0 {
		return lines
	}
	for i := range lines {
		lines[i] = strings.Repeat(" ", margin) + lines[i]
	}
	return lines
}

// WrapText breaks a text into lines of at most width cells, at spaces or hyphens if possible. A
// style that spans lines is repeated on each line.
func WrapText(s string, width int) []string {
	if len(s) <= width && isPrintable(s) {
		return []string{s}
	}
	const hyphen = "\u2011" // A non-breaking hyphen keeps the -- of a flag together.
	wrapped := cellbuf.Wrap(strings.ReplaceAll(s, "--", hyphen+hyphen), max(width, 1), "")
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(wrapped, hyphen, "-"), "\n") {
		if ansi.StringWidth(line) > width { // Wrap does not break a run of spaces.
			line = ansi.Hardwrap(strings.TrimRight(line, " "), max(width, 1), true)
		}
		lines = append(lines, strings.Split(line, "\n")...)
	}
	return lines
}

// CaretMark marks the character under the caret, where input methods show their candidates.
// Terminals ignore the sequence, SGR 26.
const CaretMark = "\x1b[26m"
