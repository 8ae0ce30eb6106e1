package views

import (
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/tuitest"
)

// editedWith is an editor that has been given a text and some keys. <name> is a key, all else is written.
func editedWith(width int, keys string) *textArea {
	e := newTextArea()
	e.Resize(width)
	for keys != "" {
		name, rest, found := strings.Cut(strings.TrimPrefix(keys, "<"), ">")
		if keys[0] != '<' || !found {
			n := len(keys)
			if i := strings.IndexByte(keys, '<'); i > 0 {
				n = i
			}
			e.InsertText(keys[:n])
			keys = keys[n:]
			continue
		}
		keys = rest
		switch name {
		case "up":
			e.moveUp()
		case "down":
			e.moveDown()
		default:
			editorKeys[name](e)
		}
	}
	return e
}

func TestEditorKeys(t *testing.T) {
	const family = "👩‍👩‍👧‍👦"
	for _, c := range []struct{ keys, want string }{
		{"abc<left><left>X", "aXbc"},
		{"abc<home>X<end>Y", "XabcY"},
		{"a" + family + "b<left><left>X", "aX" + family + "b"},
		{"a" + family + "<backspace>", "a"},
		{"cafe\u0301<backspace>", "caf"},
		{"cafe\u0301<left><delete>", "caf"},
		{"e<left>x<right>\u0301<backspace>", "x"}, // The mark joins the letter before it.
		{"🇩<left><right>🇪<backspace>", ""},
		{"שלום<left>X", "שלוXם"},
		{"one two  <ctrl+w>", "one "},
		{"one two<alt+b><ctrl+k>", "one "},
		{"one two<home><alt+d>", " two"},
		{"one two<home><alt+f>X", "oneX two"},
		{"one\ntwo<ctrl+u>X", "X"},
		{"one\ntwo<up><ctrl+u><ctrl+u>X", "X"},
		{"one\ntwo<home><backspace>X", "oneXtwo"},
		{"one\ntwo<up><end><delete>X", "oneXtwo"},
		{"one\ntwo<up><end><ctrl+k>X", "oneXtwo"},
		{"one\ntwo<home><left>X", "oneX\ntwo"},
		{"one\ntwo<up><end><right>X", "one\nXtwo"},
		{"one\ntwo<home><alt+b>X", "Xone\ntwo"},
		{"a long line\nb\nand another<up><up>X", "a long lineX\nb\nand another"}, // The cell is kept over a short line.
		{"ab<left>1\n2<up>X", "aX1\n2b"},
		{"日本語\nabcd<up>X", "日本X語\nabcd"},
		{"<backspace><delete><left><right><ctrl+w><alt+d><ctrl+u><ctrl+k><up><down>x", "x"},
	} {
		t.Run(c.keys, func(t *testing.T) { assert.Equal(t, editedWith(30, c.keys).text, c.want, c.keys) })
	}
}

func TestEditorRows(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{"one two three", 7, []string{"one two ", "three"}},
		{"one two", 7, []string{"one two"}},
		{"one two ", 7, []string{"one two ", ""}},
		{"one two  x", 7, []string{"one two ", " x"}},
		{"abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"a abcdefgh", 4, []string{"a ", "abcd", "efgh"}},
		{"well-known word", 6, []string{"well-", "known ", "word"}},
		{"日本語の文", 5, []string{"日本", "語の", "文"}},
		{"ab日本", 5, []string{"ab日", "本"}},
		{"日", 1, []string{"日", ""}},
		{"one two \nx\n", 7, []string{"one two ", "", "x", ""}},
	} {
		t.Run(c.text, func(t *testing.T) {
			e := newTextArea()
			e.Resize(c.width)
			e.SetText(c.text)
			var got []string
			for i := range e.rows {
				from, to := e.rowParts(i)
				got = append(got, joinedParts(e.parts[from:to]))
			}
			assert.EqualSlices(t, got, c.want, "%q at %d", c.text, c.width)
		})
	}
}

// Up and Down walk over rows, and reach the first and the last of them.
func TestEditorWalksOverRows(t *testing.T) {
	e := editedWith(7, "one two three four\nfive")
	for i, want := range []string{"at the end", "in four", "in three", "in one", "at the top"} {
		assert.Equal(t, e.atTop(), i >= 3, "%s: at the top", want)
		e.moveUp()
	}
	for range 3 {
		e.moveDown()
	}
	assert.True(t, e.atBottom(), "the cursor is at %d", e.cursor)
}

// FuzzEditor: the cursor is in the window, the drawn text fits and is the text, and parts are whole characters.
func FuzzEditor(f *testing.F) {
	for i, text := range tuitest.Awkward {
		f.Add(text, uint64(i), 3+i)
	}
	for seed := range uint64(100) {
		f.Add(tuitest.Mixed(rand.New(rand.NewPCG(seed, 2))), seed, int(seed)%40)
	}
	f.Fuzz(editsAtRandom)
}

func editsAtRandom(t *testing.T, text string, seed uint64, width int) {
	r := rand.New(rand.NewPCG(seed, 3))
	e, st, names := newTextArea(), NewStyles(NewRenderer(io.Discard, false), ThemeAuto, false), []string{"up", "down"}
	for name := range editorKeys {
		names = append(names, name)
	}
	slices.Sort(names)
	e.Resize(2 + max(width, -width)%100)
	for range 40 {
		switch name := names[r.IntN(len(names))]; {
		case r.IntN(3) == 0:
			e.InsertText(terminal.CleanInput(text))
		case r.IntN(12) == 0:
			e.Resize(2 + r.IntN(60))
		case name == "up":
			e.moveUp()
		case name == "down":
			e.moveDown()
		default:
			editorKeys[name](e)
		}
		e.showRows(min(len(e.rows), 1+r.IntN(6)))
		drawnWhole(t, e, st)
	}
}

func drawnWhole(t *testing.T, e *textArea, st *Styles) {
	t.Helper()
	if whole := joinedParts(splitParts(e.text)); whole != e.text || joinedParts(e.parts) != whole {
		t.Fatalf("the text is %q, its parts are %q", e.text, joinedParts(e.parts))
	}
	view := e.drawRows(st)
	assert.Must(t, len(view) == e.height && e.cursor >= 0 && e.cursor <= len(e.parts),
		"%d rows of %d, the cursor is at %d of %q", len(view), e.height, e.cursor, e.text)
	cursors := strings.Count(strings.Join(view, ""), "\x1b[7m")
	assert.Must(t, cursors == 1, "%d cursors in %q", cursors, view)
	for _, line := range view {
		if got := ansi.StringWidth(line) - len(nextMargin); got > e.width+1 && e.width > 2 || tuitest.Foreign(line, terminal.IsObeyed) != "" {
			t.Fatalf("a row of %d cells for %d: %q", got, e.width, line)
		}
	}
	assert.Must(t, slices.IsSorted(e.rows) && e.rows[0] == 0 && e.rows[len(e.rows)-1] <= len(e.parts), "rows begin at %v of %d", e.rows, len(e.parts))
}

func TestPastIsBounded(t *testing.T) {
	p := &History{}
	for i := range MaxHistory + 5 {
		p.addText(fmt.Sprint(i))
	}
	p.addText(p.Said[len(p.Said)-1])
	p.addText("")
	if len(p.Said) != MaxHistory || p.Said[0] != "5" {
		t.Errorf("%d messages are kept, the first is %s", len(p.Said), p.Said[0])
	}
}

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

func listBindings(m KeyMap) (list []key.Binding) {
	for _, group := range conversation.Groups() {
		list = append(list, m.ListGroup(group)...)
	}
	return list
}

// Every binding is in the table, has help, and shares no key with another.
func TestKeyTable(t *testing.T) {
	keys := NewKeyMap()
	owner, listed := map[string]string{}, map[string]bool{}
	for _, b := range listBindings(keys) {
		listed[b.Help().Key] = true
		for _, k := range b.Keys() {
			if owner[k] != "" {
				t.Errorf("%s is the key of %q and of %q", k, owner[k], b.Help().Desc)
			}
			owner[k] = b.Help().Desc
		}
	}
	fields := reflect.ValueOf(keys)
	for i := range fields.NumField() {
		b, bound := fields.Field(i).Interface().(key.Binding)
		if !bound {
			continue // whether letters move
		}
		if !listed[b.Help().Key] || b.Help().Desc == "" {
			t.Errorf("%s is not in the key table", fields.Type().Field(i).Name)
		}
	}
}
