package views

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas"
)

// The presets that chat.keys.preset names.
const (
	PresetUsual = "usual"
	PresetVim   = "vim"
)

// Presets are the names that chat.keys.preset takes, the default first.
func KeyPresets() []string { return []string{PresetUsual, PresetVim} }

// noKey, written in a key's place, takes an action its keys.
const noKey = "none"

// maxKeys is how many keys one action may have.
const maxKeys = 4

// Fault is what is wrong with an action's keys in a table; it names no place.
type KeyError struct {
	// Action is the row of the player's table, "preset" for the preset.
	Action string
	Err    error
}

// MakeMap combines the default keys, a preset and the player's own table: keys by action name, in
// the syntax of ParseKeys. It returns one fault per invalid row; then the map must not be used.
func MakeKeyMap(preset string, table map[string]string) (KeyMap, []KeyError) {
	m, bound := NewKeyMap(), map[string][]string{}
	var faults []KeyError
	m.Vim = preset == PresetVim
	if preset != "" && !slices.Contains(KeyPresets(), preset) {
		faults = append(faults, KeyError{"preset", errors.New("it takes " + strings.Join(KeyPresets(), " or "))})
	}
	for _, name := range sortedNames(table) {
		keys, err := ParseKeys(name, table[name])
		if err != nil {
			faults = append(faults, KeyError{name, err})
			continue
		}
		bound[name] = keys
	}
	owner := map[string]string{}
	for _, a := range rowsWithOwn(bound) {
		keys, own := bound[a.Name]
		if !own {
			keys = a.Keys
		}
		keys = a.withFixed(keys)
		for _, k := range keys {
			if by := owner[k]; by != "" {
				faults = append(faults, KeyError{a.Name, fmt.Errorf("%s is the key of %s: choose another, or give %s another", ShowKey(k), by, by)})
			}
			owner[k] = a.Name
		}
		*a.binding(&m) = a.bind(keys)
	}
	return m, faults
}

// rowsWithOwn returns the actions, those with the player's own keys last, so that a duplicate key
// is reported for the row that can be changed.
func rowsWithOwn(bound map[string][]string) []KeyAction {
	rows := KeyActions()
	slices.SortStableFunc(rows, func(a, b KeyAction) int {
		_, ownA := bound[a.Name]
		_, ownB := bound[b.Name]
		switch {
		case ownA == ownB:
			return 0
		case ownA:
			return 1
		}
		return -1
	})
	return rows
}

func sortedNames(table map[string]string) []string {
	names := make([]string, 0, len(table))
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// withFixed puts the key that an action always has before others.
func (a *KeyAction) withFixed(keys []string) []string {
	if !a.Fixed || slices.Contains(keys, a.Keys[0]) {
		return keys
	}
	return append([]string{a.Keys[0]}, keys...)
}

// ParseKeys reads the keys of an action: names such as "ctrl+b" or "F7" with commas or
// spaces between, or none.
func ParseKeys(action, text string) ([]string, error) {
	if err := CheckKeyAction(action); err != nil {
		return nil, err
	}
	a, _ := FindKeyAction(action)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == ',' })
	switch {
	case len(words) == 0:
		return nil, errors.New("it takes keys such as ctrl+b or f7, or none")
	case len(words) > maxKeys:
		return nil, fmt.Errorf("it takes at most %d keys, and these are %d", maxKeys, len(words))
	case len(words) == 1 && words[0] == noKey && a.Fixed:
		return nil, fmt.Errorf("%s always stays: nothing could be done without it", ShowKey(a.Keys[0]))
	case len(words) == 1 && words[0] == noKey:
		return []string{}, nil
	}
	var keys []string
	for _, word := range words {
		k, err := checkKey(a, word)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

// CheckAction refuses the name of no action.
func CheckKeyAction(name string) error {
	if _, ok := FindKeyAction(name); ok {
		return nil
	}
	return fmt.Errorf("there is no action %q (%s)", name, suggestAction(name))
}

// suggestAction suggests the nearest action, or else the page with all of them.
func suggestAction(name string) string {
	var names []string
	for _, a := range KeyActions() {
		names = append(names, a.Name)
	}
	if near := personas.Nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return "there are: " + strings.Join(names, ", ")
}

// checkKey returns a key's name as bubbletea has it, or says why the action cannot have it.
func checkKey(a KeyAction, word string) (string, error) {
	name := word
	if other, ok := otherNames()[word]; ok {
		name = other
	}
	if same, ok := sameKeys()[name]; ok {
		return "", fmt.Errorf("terminals send the same for %s and for %s: choose another key", ShowKey(name), ShowKey(same))
	}
	switch {
	case slices.Contains(a.Keys, name):
		return name, nil
	case utf8.RuneCountInString(name) == 1,
		slices.Contains([]string{"space", "backspace", "delete", "left", "right", "home", "end"}, name):
		return "", fmt.Errorf("%s is needed for writing: choose one with Ctrl or Alt, or a function key", ShowKey(name))
	}
	for _, other := range KeyActions() {
		if other.Fixed && other.Keys[0] == name {
			return "", fmt.Errorf("%s always means %s: choose another key", ShowKey(name), other.Name)
		}
	}
	if _, ok := ParseKey(name); !ok {
		return "", fmt.Errorf("%q is no key that a terminal sends: write ctrl+b, alt+x, f7, shift+tab or pgup", word)
	}
	return name, nil
}

// otherNames are names of keys that people write, and bubbletea's.
func otherNames() map[string]string {
	return map[string]string{"escape": "esc", "return": "enter", "pageup": "pgup", "pagedown": "pgdown", "pgdn": "pgdown", "page-up": "pgup",
		"page-down": "pgdown", "del": "delete", "ins": "insert", "control+c": "ctrl+c"}
}

// sameKeys are keys that terminals send as other keys.
func sameKeys() map[string]string {
	return map[string]string{"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+h": "backspace", "shift+enter": "enter", "ctrl+enter": "enter"}
}

// ParseKey returns the key that has a name: "ctrl+b", "alt+x", "f7".
func ParseKey(name string) (tea.KeyMsg, bool) {
	rest, alt := strings.CutPrefix(name, "alt+")
	if utf8.RuneCountInString(rest) == 1 && rest != " " {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(rest), Alt: alt}, alt
	}
	for kind := tea.KeyType(-lowestKey); kind <= 127; kind++ {
		if kind != tea.KeyRunes && kind != tea.KeySpace && rest != "" && kind.String() == rest {
			return tea.KeyMsg{Type: kind, Alt: alt}, true
		}
	}
	return tea.KeyMsg{}, false
}

// lowestKey bounds bubbletea's negative key numbers, with a margin.
const lowestKey = 200

// Move is a key of the preset vim: where nothing is written it does what the key of an
// action does.
type Move struct {
	// Key is as bubbletea names it; Shown is several of them for help.
	Key, Shown string
	Action     string
	// Does describes the effect; "" if it is the same as in the row before.
	Does string
}

// Moves are the preset vim's keys, which lists, help and the other views share with the
// conversation while it is read.
func Moves() []Move {
	return []Move{
		{"j", "j, k", "down", "down and up"}, {"k", "", "up", ""},
		{"g", "g, G", "top", "to the beginning and to the end"}, {"G", "", "bottom", ""},
		{"ctrl+d", "Ctrl+D, Ctrl+U", "page-down", "a page down and up"}, {"ctrl+u", "", "page-up", ""},
		{"q", "q", "cancel", "go back"},
	}
}

// ReadingKeys returns the additional keys of the conversation while the player reads it.
func ReadingKeys() []Move {
	return []Move{
		{"i", "i, a", "", "write again"}, {"a", "", "", ""},
		{"/", "/", "", "search"}, {":", ":", "", "write a command"}, {"y", "y", "", "copy"},
	}
}

// MoveKey returns the key that a key of the preset vim replaces.
func (m KeyMap) MoveKey(press tea.KeyMsg) (tea.KeyMsg, bool) {
	if !m.Vim || press.Paste {
		return press, false
	}
	for _, move := range Moves() {
		if move.Key != press.String() {
			continue
		}
		if b, ok := m.FindBinding(move.Action); ok {
			return ParseKey(b.Keys()[0])
		}
	}
	return press, false
}

// Group is a heading of help.
type KeyGroup string

// The headings of help, in its order.
const (
	GroupBack    KeyGroup = "Taking back"
	GroupWriting KeyGroup = "Writing"
	GroupReading KeyGroup = "Reading back"
	GroupStory   KeyGroup = "The story"
	GroupPeople  KeyGroup = "People and sessions"
	GroupWindow  KeyGroup = "The window"
)

// Groups are the headings of help.
func KeyGroups() []KeyGroup {
	return []KeyGroup{GroupBack, GroupWriting, GroupReading, GroupStory, GroupPeople, GroupWindow}
}

// groupOf is the heading for an action of the keys; GroupWindow for one of no other.
func groupOf(action string) KeyGroup {
	switch action {
	case "send", "new-line", "cancel", "commands", "complete", "edit", "undo", "redo":
		return GroupWriting
	case "take-back", "reword", "fork":
		return GroupBack
	case "up", "down", "page-up", "page-down", "top", "bottom", "search", "copy":
		return GroupReading
	case "why", "parts", "direct", "state", "update":
		return GroupStory
	case "personas", "sessions", "rename-session", "forget-session", "new-session":
		return GroupPeople
	}
	return GroupWindow
}

// CommandGroup is the heading for a slash command; "" for one that is under none, which
// TestHelpHasAllUnderItsHeadings finds.
func CommandGroup(command string) KeyGroup {
	switch command {
	case "editor":
		return GroupWriting
	case "history", "search", "copy", "export":
		return GroupReading
	case "undo", "redo", "retry", "branches", "compare", "fork":
		return GroupBack
	case "parts", "progress", "state", "reset", "save-play", "why", "direct", "update":
		return GroupStory
	case "personas", "name", "sessions", "new":
		return GroupPeople
	case "help", "theme", "panel", "mouse", "quit":
		return GroupWindow
	}
	return ""
}
