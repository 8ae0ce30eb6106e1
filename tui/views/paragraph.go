package views

import (
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/tui/terminal"
)

// WrapStyled wraps a text to a window's width, with a margin of one cell at each edge.
func WrapStyled(look lipgloss.Style, text string, width int) []string {
	return styleLines(look, terminal.WrapText(text, width-2))
}

func styleLines(look lipgloss.Style, lines []string) []string {
	for i := range lines {
		lines[i] = " " + look.Render(lines[i])
	}
	return lines
}

// WrapShort wraps a text to at most the given number of lines, and ends a longer text with an
// ellipsis. For "" it returns nil.
func WrapShort(look lipgloss.Style, text string, width, most int) []string {
	if text == "" {
		return nil
	}
	lines := terminal.WrapText(text, width-2)
	if len(lines) > most {
		lines[most-1] = terminal.CutToWidth(strings.Join(lines[most-1:], " "), width-2)
	}
	return styleLines(look, lines[:min(len(lines), most)])
}

// WrapMarked wraps a text to at most the given number of lines. It puts a mark of two cells before
// the first line, and indents the other lines by two cells.
func WrapMarked(look lipgloss.Style, mark, text string, width, most int) []string {
	lines := WrapShort(lipgloss.NewStyle(), text, width, most)
	for i := range lines {
		lines[i] = look.Render(mark + lines[i][1:])
		mark = "  "
	}
	return lines
}

// WidestScreen is the maximum width of a screen with a list or text, in cells. The conversation is
// narrower and has the side panel beside it.
const WidestScreen = 120

// HeaderLine returns a screen's first line, with one text at the left and one at the right.
func HeaderLine(st *Styles, left, right string, width int) string {
	return terminal.PlaceApart(" "+st.Title.Render(terminal.CutToWidth(left, width-2)), st.Faint.Render(right)+" ", width)
}

// FooterLine returns the last line of a screen. foot lists keys in parts separated by commas. If
// the line is too long, FooterLine first drops the parts without keys. It then reduces parts to
// their keys, the last part first, so that all keys remain.
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

// footerKey returns the key in a part of a footer, for example "Up and Down" in "Up and Down read
// on", or "".
func footerKey(part string) string {
	words := strings.Fields(part)
	n := 0
	for n < len(words) && (words[n][0] <= 'Z' || words[n] == "and") {
		n++
	}
	return strings.Join(words[:n], " ")
}
