package views

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/tuitest"
)

func filled(n int) *Transcript {
	t := NewTranscript(NewStyles(NewRenderer(io.Discard, false), ThemeAuto, false))
	for i := range n {
		kind, name := CharacterTurn, "Mira"
		if i%2 == 1 {
			kind, name = PlayerTurn, "Alex"
		}
		t.AddEntry(Entry{Kind: kind, Name: name, Text: fmt.Sprintf("message %d: %s", i, strings.Repeat("word ", i%40))})
	}
	t.Resize(60, 20)
	return t
}

// all is every line of a transcript, as the window would show them.
func (v *Transcript) all() []string {
	var lines []string
	for i := range v.Entries {
		lines = append(lines, v.entryLines(i)...)
	}
	return lines
}

// TestTranscriptWindow: at any scroll position, the window is a part of the whole.
func TestTranscriptWindow(t *testing.T) {
	log := filled(60)
	whole := log.all()
	top := len(whole) - log.height
	check := func(what string) {
		t.Helper()
		top = max(min(top, len(whole)-log.height), 0)
		assert.Must(t, slices.Equal(log.DrawLines(), whole[top:top+log.height]), "%s: the window is not at line %d of %d", what, top, len(whole))
		assert.Must(t, log.Follow == (top == len(whole)-log.height),
			"%s: follow is %v at line %d of %d", what, log.Follow, top, len(whole))
	}
	check("at first")
	for _, n := range []int{-1, -1, -30, 7, 1, -500, -1, 3, 1000, -2, 1, 1, -5, 5} {
		log.ScrollBy(n)
		top = max(top+n, 0)
		check(fmt.Sprint("after ", n))
	}
	log.ScrollToTop()
	top = 0
	check("at the top")
	log.ScrollPage(1)
	top += log.height - 2
	check("a page down")
	log.ScrollToEnd()
	top = len(whole)
	check("at the end")
}

func TestTranscriptGrowsAndShrinks(t *testing.T) {
	log := filled(30)
	log.ScrollPage(-1)
	before := log.DrawLines()
	log.AddEntry(Entry{Kind: PlayerTurn, Name: "Alex", Text: "new"})
	assert.EqualSlices(t, before, log.DrawLines(), "a new turn moved the window")
	log.DropLastTurn()
	log.DropLastTurn()
	log.DropLastTurn()
	assert.Equal(t, len(log.Entries), 29, "drop took more than the player's turns")
	log.Resize(25, 7)
	for _, line := range log.DrawLines() {
		assert.True(t, ansi.StringWidth(line) <= 25, "%q is wider than the window", line)
	}
	log.ClearEntries()
	lines := log.DrawLines()
	assert.Equal(t, strings.TrimSpace(strings.Join(lines, "")), "", "an empty transcript")
	assert.Equal(t, len(lines), 7, "lines of an empty transcript")
}

// TestGrowingIsTheWhole: a reply that grew word by word looks like the whole reply.
func TestGrowingIsTheWhole(t *testing.T) {
	for _, text := range slices.Concat(tuitest.Awkward, []string{
		"One\ntwo.\n\nThree *four*.\n\n**Five**\n\n- six\n\n- seven\n\nEight\n\n> nine\n\n> ten\n\n1. a\n\n2. b\n\n\nLast",
		"*", "> ", "```\na\n\nB\n```\n\nC", "<pre>\na\n\nb</pre>\n\nc", "“He” said\n\n(she) too\n\n_so_\n\n    code\n\nEnd",
	}) {
		growing(t, text, 7)
	}
}

func FuzzGrowing(f *testing.F) {
	f.Add("a\n\nb\n\n- c\n\nd", 3)
	f.Fuzz(growing)
}

func growing(t *testing.T, text string, step int) {
	text = strings.TrimSpace(terminal.CleanLines(text))
	step = 1 + max(step, -step)%50
	log := NewTranscript(NewStyles(NewRenderer(io.Discard, false), ThemeAuto, false))
	log.Resize(40, 20)
	log.BeginEntry(Entry{Kind: CharacterTurn, Name: "Mira"})
	for rest := text; rest != ""; rest = rest[min(step, len(rest)):] {
		log.AppendWords(rest[:min(step, len(rest))])
		log.DrawLines()
	}
	got := slices.Clone(log.entryLines(0))
	log.EndEntry(text)
	want := log.entryLines(0)
	assert.True(t, text == "" || slices.Equal(got, want), "%q grew to\n%s\nand is\n%s", text, strings.Join(got, "\n"), strings.Join(want, "\n"))
}

// TestWindowStaysWhileWordsCome: a window that does not follow keeps its lines and counts those below.
func TestWindowStaysWhileWordsCome(t *testing.T) {
	log := filled(50)
	log.ScrollPage(-1)
	before := log.DrawLines()
	log.BeginEntry(Entry{Kind: CharacterTurn, Name: "Mira"})
	for i := range 300 {
		log.AppendWords(fmt.Sprintf("word%d ", i))
		assert.Must(t, slices.Equal(before, log.DrawLines()), "the window moved at word %d", i)
	}
	got := log.BelowWords()
	assert.True(t, strings.HasSuffix(got, "more lines below"), "below: %q", got)
	log.ScrollToTop()
	assert.Equal(t, log.BelowWords(), "more below", "far above")
	log.ScrollToEnd()
	assert.Equal(t, log.BelowWords(), "", "at the end")
}

func TestInsertedEntriesMoveTheChosenOne(t *testing.T) {
	log := filled(3)
	assert.True(t, log.ChooseEntry(1))
	log.InsertEntries(1, []Entry{NewNote("older", ToneNews)})
	assert.Equal(t, log.Chosen, 3)
	log.InsertEntries(3, []Entry{NewNote("newer", ToneNews)})
	assert.Equal(t, log.Chosen, 3)
}

// Reading through a long conversation keeps the lines of a few entries only.
func TestLinesAreNotKept(t *testing.T) {
	log := filled(3000)
	log.ScrollToTop()
	for !log.Follow {
		log.ScrollPage(1)
		log.DrawLines()
	}
	assert.True(t, len(log.lines) <= maxLines, "lines of %d entries are kept", len(log.lines))
}

// TestSpeakerIsNamedOnce: the name is shown again only after a note, another speaker or a broken reply.
func TestSpeakerIsNamedOnce(t *testing.T) {
	v := NewTranscript(NewStyles(NewRenderer(io.Discard, false), ThemeNone, false))
	for _, text := range []string{"one", "two"} {
		v.AddEntry(Entry{Kind: PlayerTurn, Name: "Alex", Text: text})
	}
	for _, text := range []string{"three", "four"} {
		v.AddEntry(Entry{Kind: CharacterTurn, Name: "Mira", Text: text})
	}
	v.AddNote("changed", ToneChange)
	v.AddEntry(Entry{Kind: CharacterTurn, Name: "Mira", Text: "five"})
	v.Resize(40, 17)
	want := " Alex|   one||   two|| Mira| ▎ three|| ▎ four|| → changed|| Mira| ▎ five|||"
	var shown []string
	for _, line := range v.DrawLines() {
		shown = append(shown, strings.TrimRight(ansi.Strip(line), " "))
	}
	assert.Equal(t, strings.TrimLeft(strings.Join(shown, "|"), "|")+"|||", want)
}

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
