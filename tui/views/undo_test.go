package views

import (
	"io"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/assert"
)

// typeInto sends keys to an input: <name> is a key, the rest is typed.
func typeInto(t *testing.T, in *Input, keys string) {
	t.Helper()
	for keys != "" {
		name, rest, found := strings.Cut(strings.TrimPrefix(keys, "<"), ">")
		if keys[0] == '<' && found {
			press, known := ParseKey(name)
			assert.Must(t, known, "%q is no key", name)
			in.Update(press)
			keys = rest
			continue
		}
		press := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(keys[:1])}
		if keys[0] == ' ' {
			press.Type = tea.KeySpace
		}
		in.Update(press)
		keys = keys[1:]
	}
}

func newTestInput() *Input {
	in := NewInput(MakeStyles(NewRenderer(io.Discard, false), ThemeNone, false, nil), NewKeyMap())
	in.Resize(60, 5)
	return in
}

func TestUndo(t *testing.T) {
	t.Parallel()
	const undo, redo = "<ctrl+_>", "<alt+e>"
	for _, c := range []struct{ name, keys, want string }{
		{"a word", "one two<ctrl+w>" + undo, "one two"},
		{"a word, with Alt", "one two<alt+backspace>" + undo, "one two"},
		{"the next word", "one two<home><alt+d>" + undo, "one two"},
		{"the next word, with Delete", "one two<home><alt+delete>" + undo, "one two"},
		{"to the end of the line", "one two<home><ctrl+k>" + undo, "one two"},
		{"all lines", "one<ctrl+j>two<ctrl+u>" + undo, "one\ntwo"},
		{"the line's end", "one<ctrl+j>two<home><backspace>" + undo, "one\ntwo"},
		{"several Backspaces at once", "abc<backspace><backspace>" + undo, "abc"},
		{"several Deletes at once", "abc<home><delete><delete>" + undo, "abc"},
		{"Backspace and then Delete", "abcd<backspace><left><left><delete>" + undo, "abc"},
		{"typing, word by word", "one two three" + undo, "one two "},
		{"all of the typing", "one two three" + undo + undo + undo, ""},
		{"more than there is", "one" + undo + undo + undo + "x", "x"},
		{"a new line", "one<alt+enter>" + undo, "one"},
		{"the cursor", "one two<left><left><ctrl+w>" + undo + "X", "one tXwo"},
		{"what was erased behind what was typed", "ab<backspace>" + undo + "c", "abc"},
		{"typing that goes on elsewhere", "ab<home>cd" + undo, "ab"},
		{"two changes", "one two<ctrl+w><ctrl+w>" + undo + undo, "one two"},
		{"and again", "one two<ctrl+w><ctrl+w>" + undo + undo + redo, "one "},
		{"and again, twice", "one two<ctrl+w><ctrl+w>" + undo + undo + redo + redo + redo, ""},
		{"and again, but something else was typed", "one two<ctrl+w>" + undo + "x" + redo, "one twox"},
		{"the other key", "one<ctrl+u><alt+u>", "one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := newTestInput()
			if typeInto(t, in, c.keys); in.Text() != c.want {
				t.Errorf("%s leaves %q, not %q", c.keys, in.Text(), c.want)
			}
		})
	}
}

func TestUndoOfTheWholeText(t *testing.T) {
	t.Parallel()
	in := newTestInput()
	typeInto(t, in, "mine ")
	in.InsertText("pasted\nlines", true)
	if typeInto(t, in, "<ctrl+_>"); in.Text() != "mine " {
		t.Errorf("without the paste it is %q", in.Text())
	}
	in.SetText("from the editor")
	if typeInto(t, in, "<ctrl+_>"); in.Text() != "mine " {
		t.Errorf("before the editor it is %q", in.Text())
	}
	in.Clear()
	if typeInto(t, in, "<ctrl+_>"); in.Text() != "mine " {
		t.Errorf("before it was emptied it is %q", in.Text())
	}
	typeInto(t, in, "too<up>")
	if typeInto(t, in, "<ctrl+_>"); in.Text() != "mine too" {
		t.Errorf("before an earlier message was called up it is %q", in.Text())
	}
	in.TakeText()
	if refused := in.Undo(); in.Text() != "" || refused == "" {
		t.Errorf("the sent text comes back: %q, %q", in.Text(), refused)
	}
}

// What can be undone has a bound.
func TestUndoIsBounded(t *testing.T) {
	t.Parallel()
	in := newTestInput()
	for range 3 * maxChanges {
		in.InsertText("x", true)
	}
	for in.Undo() == "" {
		continue
	}
	assert.Equal(t, len(in.Text()), 2*maxChanges, "changes are left")
}
