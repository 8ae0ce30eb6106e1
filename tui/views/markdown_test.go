package views

import (
	"io"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/tuitest"
)

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
		t.Run(c.name, func(t *testing.T) {
			got := ansi.Strip(strings.Join(newMarkdownRenderer(NewStyles(NewRenderer(io.Discard, false), ThemeAuto, false)).RenderLines(c.src, 22), "\n"))
			assert.Equal(t, got, c.want, c.name)
		})
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, c := range tuitest.Hostile {
		f.Add(c.Text, 20)
	}
	f.Add("> - **a *b\n\n```\n1. &#x1b;[0m <a\n\tx> [l](\\\x1b)", 9)
	st := newMarkdownRenderer(NewStyles(NewRenderer(io.Discard, false), ThemeAuto, false))
	f.Fuzz(func(t *testing.T, src string, width int) {
		width = 12 + max(width, -width)%80
		for _, line := range st.RenderLines(terminal.CleanLines(src), width) {
			shown := ansi.Strip(line)
			assert.True(t, !strings.ContainsFunc(shown, terminal.IsObeyed), "%q lets %q through", src, shown)
		}
	})
}

// What is between ( and ) is a stage direction, also over lines; a ( that nothing closes is only a sign.
func TestStageDirections(t *testing.T) {
	st := NewStyles(NewRenderer(io.Discard, false), ThemeNone, false)
	r := newMarkdownRenderer(st)
	aside := func(s string) string { return st.Aside.Inline(true).Render(s) }
	for src, want := range map[string]string{
		"Go on. (She rises.) Take it.": "Go on. " + aside("(She rises.)") + " Take it.",
		"(She rises,\nslowly.) Yes?":   aside("(She rises,") + "\n" + aside("slowly.)") + " Yes?",
		"one ( two":                    "one ( two",
		"a) b":                         "a) b",
		"*waves* (nods)(sits)":         aside("waves") + " " + aside("(nods)") + aside("(sits)"),
	} {
		assert.Equal(t, strings.Join(r.RenderLines(src, 60), "\n"), want, src)
	}
}
