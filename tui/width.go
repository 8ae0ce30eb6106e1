package tui

import (
	"github.com/charmbracelet/x/ansi"
	"strings"
)

// cutToWidth shortens a line to a width in cells, with an ellipsis.
func cutToWidth(s string, width int) string {
	if width <= 0 {
		return ""
	}
	return ansi.Truncate(s, width, "…")
}

// padToWidth fills a line up to a width.
func padToWidth(s string, width int) string {
	if missing := width - ansi.StringWidth(s); missing > 0 {
		return s + strings.Repeat(" ", missing)
	}
	return s
}

// placeApart puts left and right at the two ends of a line; where there is no room
// for both the right one goes, then the left one is cut.
func placeApart(left, right string, width int) string {
	gap := width - ansi.StringWidth(left) - ansi.StringWidth(right)
	if gap < 2 {
		return cutToWidth(left, width)
	}
	return left + strings.Repeat(" ", gap) + right
}

// fitLines makes lines exactly width by height: nothing can push the frame.
func fitLines(lines []string, width, height int) []string {
	if len(lines) > height {
		lines = lines[:height]
	}
	for i, line := range lines {
		if ansi.StringWidth(line) > width {
			line = cutToWidth(line, width)
		}
		lines[i] = keepOrder(line)
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return lines
}
