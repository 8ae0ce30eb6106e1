package tui

import (
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func testStyles() *styles { return newStyles(io.Discard, ThemeAuto, false) }

func TestMarkdown(t *testing.T) {
	cases := []struct{ name, src, want string }{
		{"paragraphs", "One\ntwo.\n\nThree.", "One\ntwo.\n\nThree."},
		{"emphasis", "**a** *b* `c*d` \\*e\\*", "a b c*d *e*"},
		{"list", "- a\n- b\n  1. c\n  2. d", "• a\n• b\n  1. c\n  2. d"},
		{"loose list", "- a\n\n- b", "• a\n\n• b"},
		{"numbers", "7. a\n8. b", "7. a\n8. b"},
		{"quote", "> a\n> b", "│ a\n│ b"},
		{"heading", "# Title\ntext", "Title\n\ntext"},
		{"code block", "```go\na  b\n\nc\n```", "a  b\n\nc"},
		{"link", "[here](http://x.test)", "here (http://x.test)"},
		{"html stays text", "a <b>c</b>", "a <b>c</b>"},
		{"wrapped item", "- aaaa bbbb cccc dddd eeee ffff", "• aaaa bbbb cccc dddd\n  eeee ffff"},
		{"entities stay", "&#27;[2J", "&#27;[2J"},
		{"empty", "", ""},
		{"an item without words", "-", "• "},
	}
	for _, c := range cases {
		got := ansi.Strip(strings.Join(newMarkdownRenderer(testStyles()).renderMarkdown(c.src, 22), "\n"))
		if got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// A style that spans a line end is closed and opened again on each line.
func TestWrapClosesStyles(t *testing.T) {
	bold := testStyles().title.Render("aaa bbb ccc")
	for _, line := range wrapText("x "+bold+" y", 5) {
		if opened, closed := strings.Count(line, "\x1b[1m"), strings.Count(line, "\x1b[0m"); opened != closed {
			t.Errorf("%q opens %d styles and closes %d", line, opened, closed)
		}
	}
	if lines := wrapText("x "+bold+" y", 5); !strings.Contains(lines[1], "\x1b[1m") {
		t.Errorf("the second line %q lost its style", lines[1])
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, c := range hostile {
		f.Add(c.text, 20)
	}
	f.Add("> - **a *b\n\n```\n1. &#x1b;[0m <a\n\tx> [l](\\\x1b)", 9)
	st := newMarkdownRenderer(testStyles())
	f.Fuzz(func(t *testing.T, src string, width int) {
		width = 12 + max(width, -width)%80
		for _, line := range st.renderMarkdown(CleanLines(src), width) {
			if shown := ansi.Strip(line); strings.ContainsFunc(shown, isObeyed) {
				t.Errorf("%q lets %q through", src, shown)
			}
		}
	})
}

func TestApart(t *testing.T) {
	cases := []struct {
		left, right string
		width       int
		want        string
	}{
		{"ab", "cd", 8, "ab    cd"},
		{"ab", "cd", 6, "ab  cd"},
		{"ab", "cd", 5, "ab"},
		{"abcdef", "x", 4, "abc…"},
		{"日本", "x", 3, "日…"},
		{"abc", "", 0, ""},
	}
	for _, c := range cases {
		if got := placeApart(c.left, c.right, c.width); got != c.want {
			t.Errorf("apart(%q, %q, %d) = %q, want %q", c.left, c.right, c.width, got, c.want)
		}
	}
}

// A footer that does not fit loses words and no key: the picker's at 40 cells still
// says what each does.
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
		if got := strings.TrimSpace(ansi.Strip(footerLine(testStyles(), foot, c.width))); got != c.want {
			t.Errorf("at %d cells: %q, want %q", c.width, got, c.want)
		}
	}
	const picker = "Enter talks, F1 keys, Ctrl+D leaves"
	if got := strings.TrimSpace(ansi.Strip(footerLine(testStyles(), pickerFoot, 40))); got != picker {
		t.Errorf("the picker's: %q, want %q", got, picker)
	}
}
