package views

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/terminal"
)

func TestSparkline(t *testing.T) {
	for _, c := range []struct {
		values          []int
		least, greatest int
		width           int
		want            string
	}{
		{[]int{0, 1, 2, 3}, 0, 3, 10, "▁▃▅█"},
		{[]int{-3, 0, 3}, -3, 3, 10, "▁▄█"},
		{[]int{0, 0}, 0, 0, 5, "▁▁"},
		{[]int{1, 2, 3, 4}, 1, 4, 2, "▅█"},
		{[]int{-1000000000, 1000000000}, -1000000000, 1000000000, 4, "▁█"},
	} {
		assert.Equal(t, sparkline(c.values, c.least, c.greatest, c.width), c.want, "sparkline(%v)", c.values)
	}
}

func TestFuzzy(t *testing.T) {
	cases := []struct {
		text, word string
		want       int
	}{
		{"list the machines", "machines", beginning},
		{"list the machines", "list", beginning},
		{"list the machines", "chin", inside},
		{"list the machines", "mcs", scattered},
		{"list the machines", "msc", 0},
		{"list the machines", "ltm", 0}, // Letters of several words are not one.
		{"überall wörter", "üll", scattered},
		{"", "x", 0},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			assert.Equal(t, matchWord(c.text, c.word), c.want, "%q in %q", c.word, c.text)
		})
	}
	got := rankChoices([]Choice{{Title: "a export b"}, {Title: "reexport"}, {Title: "x"}, {Title: "export"}}, []string{"exp"})
	assert.Equal(t, fmt.Sprint(got), "[0 3 1]", "ranked %v", got)
}

// What is found far inside of a long text is in sight.
func TestExcerpt(t *testing.T) {
	long := strings.Repeat("word ", 100) + "needle " + strings.Repeat("after ", 100)
	got := cutExcerpt(long, []string{"needle"}, 40)
	assert.True(t, strings.HasPrefix(got, "…") && strings.Contains(got[:40], "needle"), "%.60q", got)
	for _, text := range []string{"short needle", "", "ÄÖÜ needle", strings.Repeat("İ", 300) + "needle"} {
		_ = cutExcerpt(text, []string{"needle", "absent"}, 10)
	}
	assert.Equal(t, cutExcerpt(long, nil, 40), long, "without words")
}

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
