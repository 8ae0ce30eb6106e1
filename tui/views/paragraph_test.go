package views

import (
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/terminal"
)

// A style that spans a line end is closed and opened again on each line.
func TestWrapClosesStyles(t *testing.T) {
	bold := NewStyles(NewRenderer(io.Discard, false), ThemeAuto, false).Title.Render("aaa bbb ccc")
	for _, line := range terminal.WrapText("x "+bold+" y", 5) {
		assert.Equal(t, strings.Count(line, "\x1b[1m"), strings.Count(line, "\x1b[0m"), "%q", line)
	}
	assert.Contains(t, terminal.WrapText("x "+bold+" y", 5)[1], "\x1b[1m", "the second line")
}

// TestFooter: a footer that does not fit loses words but keeps all keys, as the picker's at 40 cells.
func TestFooter(t *testing.T) {
	const foot = "Enter goes on, letters search, Up and Down read on, Ctrl+N new, Esc goes back"
	for _, c := range []struct {
		width int
		want  string
	}{
		{90, foot},
		{74, "Enter goes on, Up and Down read on, Ctrl+N new, Esc goes back"},
		{60, "Enter goes on, Up and Down read on, Ctrl+N new, Esc"},
		{44, "Enter goes on, Up and Down, Ctrl+N, Esc"},
		{36, "Enter, Up and Down, Ctrl+N, Esc"},
		{20, "Enter, Up and Dow…"},
	} {
		got := strings.TrimSpace(ansi.Strip(FooterLine(NewStyles(NewRenderer(io.Discard, false), ThemeAuto, false), foot, c.width)))
		assert.Equal(t, got, c.want, "at %d cells", c.width)
	}
}
