package views

import (
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/assert"
)

func TestRefusedKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ action, keys, says string }{
		{"serch", "ctrl+f", `there is no action "serch" (did you mean search?)`},
		{"preset", "ctrl+f", "there is no action"},
		{"search", "", "must be keys such as ctrl+b or f7, or the word none"},
		{"search", " , ", "must be keys such as"},
		{"search", "ctrl+q1", `"ctrl+q1" cannot be used`},
		{"search", "alt+", "cannot be used"},
		{"search", "f21", "cannot be used"},
		{"search", "runes", "cannot be used"},
		{"search", "alt+alt+x", "cannot be used"},
		{"search", "x", "cannot be used"},
		{"search", "ä", "cannot be used"},
		{"search", "Space", "cannot be used"},
		{"search", "left", "Left has a fixed meaning"},
		{"search", "ctrl+h", "Backspace has a fixed meaning"},
		{"search", "ctrl+m", "Enter has a fixed meaning"},
		{"search", "Return", "Enter has a fixed meaning"},
		{"search", "up", "Up has a fixed meaning"},
		{"search", "ctrl+c", "Ctrl+C has a fixed meaning"},
		{"interrupt", "none", "Ctrl+C cannot be removed"},
		{"send", "none", "Enter cannot be removed"},
		{"search", "f7 f9 f10 f11 f12", "at most 4 keys"},
	} {
		keys, err := ParseKeys(c.action, c.keys)
		assert.ErrorContains(t, err, c.says, "%s: %q is taken as %q", c.action, c.keys, keys)
	}
}

// TestKeysAreUsedOnce: a key of two actions is told of the row that the player has written.
func TestKeysAreUsedOnce(t *testing.T) {
	t.Parallel()
	_, faults := MakeKeyMap("", map[string]string{"search": "ctrl+y"})
	assert.Must(t, len(faults) == 1, "%v", faults)
	assert.Equal(t, faults[0].Action, "search")
	assert.ErrorContains(t, faults[0].Err, "Ctrl+Y is already the key of copy")
	_, faults = MakeKeyMap("", map[string]string{"search": "f10", "copy": "f10"})
	assert.Equal(t, len(faults), 1, "%v", faults)
	_, faults = MakeKeyMap("emacs", map[string]string{"nobody": "f10", "help": "y"})
	assert.Equal(t, len(faults), 3, "not all are told: %v", faults)
}

// TestOwnKeys: keys can be assigned, exchanged, and removed; fixed keys stay.
func TestOwnKeys(t *testing.T) {
	t.Parallel()
	m, faults := MakeKeyMap(PresetVim, map[string]string{
		"search": "Ctrl+Y", "copy": "ctrl+r, F10", "leave": "none", "send": "alt+s", "top": "alt+g", "help": "PageUp", "page-up": "alt+pgup"})
	assert.Must(t, len(faults) == 0 && m.Vim, faults)
	for action, want := range map[string]string{
		"search": "ctrl+y", "copy": "ctrl+r f10", "leave": "", "send": "enter alt+s", "top": "alt+g", "help": "pgup", "page-up": "alt+pgup", "why": "f2"} {
		b, bound := m.FindBinding(action)
		got := strings.Join(b.Keys(), " ")
		assert.Equal(t, got, want, action)
		assert.Equal(t, bound, want != "", "%s is bound", action)
	}
	if b, _ := m.FindBinding("copy"); b.Help().Key != "Ctrl+R" || !strings.HasSuffix(b.Help().Desc, "(also F10)") {
		t.Errorf("help shows %q, %q", b.Help().Key, b.Help().Desc)
	}
	assert.Equal(t, len(listBindings(m)), len(KeyActions())-1, "help shows an action without keys")
}

// TestEveryKeyHasItsName: the keys of the table and of the preset vim are those that terminals send.
func TestEveryKeyHasItsName(t *testing.T) {
	t.Parallel()
	for _, a := range KeyActions() {
		for _, k := range a.Keys {
			press, ok := ParseKey(k)
			assert.True(t, ok && press.String() == k, "%s: %q is %q", a.Name, k, press.String())
			assert.Equal(t, len(assert.Value(ParseKeys(a.Name, k))(t)), 1, "%s cannot have its own key %s", a.Name, k)
		}
	}
	m := NewKeyMap()
	for _, move := range Moves() {
		_, ok := FindKeyAction(move.Action)
		assert.True(t, ok, "%s is for %q, which is not an action", move.Key, move.Action)
		press := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(move.Key)}
		if strings.HasPrefix(move.Key, "ctrl+") {
			press, _ = ParseKey(move.Key)
		}
		_, ok = m.MoveKey(press)
		assert.True(t, !ok, "%s moves without the preset", move.Key)
		m.Vim = true
		_, ok = m.MoveKey(press)
		assert.True(t, ok, "%s does not move", move.Key)
		m.Vim = false
	}
}

// FuzzParseKeys: for any text, an accepted key is one that a terminal sends, and neither types text nor quits.
func FuzzParseKeys(f *testing.F) {
	for _, text := range []string{"ctrl+b", "F7, alt+x", "none", "alt+", "shift+tab", "pgdn", "ctrl+c", "\x00", "alt+ä", "a b c d e"} {
		f.Add("search", text)
	}
	f.Fuzz(func(t *testing.T, action, text string) {
		keys, err := ParseKeys(action, text)
		if err != nil {
			return
		}
		for _, k := range keys {
			press, ok := ParseKey(k)
			writes := press.Type == tea.KeyRunes && !press.Alt || press.Type == tea.KeySpace
			assert.True(t, ok && press.String() == k && !writes, "%q of %q is taken", k, text)
			isFixed := slices.Contains([]string{"enter", "esc", "ctrl+c"}, k)
			ownsFixed := slices.Contains([]string{"send", "cancel", "interrupt"}, action)
			assert.True(t, !isFixed || ownsFixed, "%q of %q is taken by %s", k, text, action)
		}
	})
}
