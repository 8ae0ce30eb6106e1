package tui

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
)

// The smallest screen that is laid out, and the width from which the side panel
// is shown.
const (
	minWidth  = 40
	minHeight = 12
	panelFrom = 100
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

// closeStyles ends on each line what it began; sequences are our own looks.
func closeStyles(lines []string) {
	open := ""
	for i, line := range lines {
		begun := open
		for rest := line; ; {
			_, after, found := strings.Cut(rest, "\x1b")
			seq, after, ended := strings.Cut(after, "m")
			if !found || !ended {
				break
			}
			rest = after
			if open += "\x1b" + seq + "m"; seq == "[0" || seq == "[" {
				open = ""
			}
		}
		lines[i] = begun + line
		if open != "" {
			lines[i] += "\x1b[0m"
		}
	}
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

// wrapStyled wraps a text into a window of a width, one cell from each edge.
func wrapStyled(look lipgloss.Style, text string, width int) []string {
	return styleLines(look, wrapText(text, width-2))
}

func styleLines(look lipgloss.Style, lines []string) []string {
	for i := range lines {
		lines[i] = " " + look.Render(lines[i])
	}
	return lines
}

// wrapShort is a paragraph of at most so many lines; what has no room ends in
// an ellipsis. No text is no line.
func wrapShort(look lipgloss.Style, text string, width, most int) []string {
	if text == "" {
		return nil
	}
	lines := wrapText(text, width-2)
	if len(lines) > most {
		lines[most-1] = cutToWidth(strings.Join(lines[most-1:], " "), width-2)
	}
	return styleLines(look, lines[:min(len(lines), most)])
}
