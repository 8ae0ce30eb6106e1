package views

import (
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/terminal"
)

// WrapStyled wraps text with a margin of one cell at each edge.
func WrapStyled(style lipgloss.Style, text string, width int) []string {
	return styleLines(style, terminal.WrapText(text, width-2))
}

func styleLines(style lipgloss.Style, lines []string) []string {
	for i := range lines {
		lines[i] = " " + style.Render(lines[i])
	}
	return lines
}

// WrapShort wraps text and cuts after maxLines with an ellipsis. The result is nil for "".
func WrapShort(style lipgloss.Style, text string, width, maxLines int) []string {
	if text == "" {
		return nil
	}
	lines := terminal.WrapText(text, width-2)
	if len(lines) > maxLines {
		lines[maxLines-1] = terminal.CutToWidth(strings.Join(lines[maxLines-1:], " "), width-2)
	}
	return styleLines(style, lines[:min(len(lines), maxLines)])
}

// WrapMarked wraps text after a mark of two cells, and cuts after maxLines.
func WrapMarked(style lipgloss.Style, mark, text string, width, maxLines int) []string {
	lines := WrapShort(lipgloss.NewStyle(), text, width, maxLines)
	for i := range lines {
		lines[i] = style.Render(mark + lines[i][1:])
		mark = "  "
	}
	return lines
}

// WidestScreen is the maximum width in cells of a list or text over the whole window.
const WidestScreen = 120

// HeaderLine returns the first line of a screen.
func HeaderLine(st *Styles, left, right string, width int) string {
	title := st.Title.Render(terminal.CutToWidth(left, width-2))
	return terminal.PlaceApart(" "+title, st.Faint.Render(right)+" ", width)
}

// FooterLine returns the last line of a screen. foot is a list of key hints with commas. A long
// line first loses parts without keys, and then the words after the keys.
func FooterLine(st *Styles, foot string, width int) string {
	parts := strings.Split(foot, ", ")
	if room := width - 2; ansi.StringWidth(foot) > room {
		parts = slices.DeleteFunc(parts, func(part string) bool { return footerKey(part) == "" })
		for last := len(parts) - 1; last >= 0 && ansi.StringWidth(strings.Join(parts, ", ")) > room; last-- {
			parts[last] = footerKey(parts[last])
		}
	}
	return " " + st.Faint.Render(terminal.CutToWidth(strings.Join(parts, ", "), width-2))
}

// footerKey returns the key of a hint, for example "Up and Down" for "Up and Down read on".
func footerKey(part string) string {
	words := strings.Fields(part)
	n := 0
	for n < len(words) && (words[n][0] <= 'Z' || words[n] == "and") {
		n++
	}
	return strings.Join(words[:n], " ")
}
