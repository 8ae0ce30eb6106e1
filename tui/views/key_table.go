package views

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas"
)

const (
	PresetUsual = "usual"
	PresetVim   = "vim"
)

// KeyPresets returns the values of chat.keys.preset, the default first.
func KeyPresets() []string { return []string{PresetUsual, PresetVim} }

const noKey = "none"

const maxKeys = 4

// KeyError is an error in the key settings of an action.
type KeyError struct {
	// Action is the name of an action, or "preset".
	Action string
	Err    error
}

// MakeKeyMap combines the default keys, a preset and the player's table. The table maps actions to
// keys in the syntax of ParseKeys. A KeyError makes the KeyMap invalid.
func MakeKeyMap(preset string, table map[string]string) (KeyMap, []KeyError) {
	keyMap, bound := NewKeyMap(), map[string][]string{}
	var faults []KeyError
	keyMap.Vim = preset == PresetVim
	if preset != "" && !slices.Contains(KeyPresets(), preset) {
		faults = append(faults, KeyError{"preset", errors.New("must be " + strings.Join(KeyPresets(), " or "))})
	}
	for _, name := range slices.Sorted(maps.Keys(table)) {
		keys, err := ParseKeys(name, table[name])
		if err != nil {
			faults = append(faults, KeyError{name, err})
			continue
		}
		bound[name] = keys
	}
	owner := map[string]string{}
	for _, action := range keyMap.actionsOwnLast(bound) {
		keys, isBound := bound[action.Name]
		if !isBound {
			keys = action.Keys
		}
		if action.Fixed && !slices.Contains(keys, action.Keys[0]) {
			keys = append([]string{action.Keys[0]}, keys...)
		}
		for _, k := range keys {
			if other := owner[k]; other != "" {
				err := fmt.Errorf("%s is already the key of %s: choose another key here, or change the key of %s",
					ShowKey(k), other, other)
				faults = append(faults, KeyError{action.Name, err})
			}
			owner[k] = action.Name
		}
		*action.binding = action.bind(keys)
	}
	return keyMap, faults
}

// actionsOwnLast sorts own keys last, because MakeKeyMap reports the later of two duplicates.
func (m *KeyMap) actionsOwnLast(bound map[string][]string) []KeyAction {
	var defaults, rebound []KeyAction
	for _, a := range m.actions() {
		if _, isOwn := bound[a.Name]; isOwn {
			rebound = append(rebound, a)
			continue
		}
		defaults = append(defaults, a)
	}
	return append(defaults, rebound...)
}

// ParseKeys parses "none" or key names. Names are separated by commas or spaces.
func ParseKeys(action, text string) ([]string, error) {
	if err := CheckKeyAction(action); err != nil {
		return nil, err
	}
	row, _ := FindKeyAction(action)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ' ' || r == ',' })
	switch {
	case len(words) == 0:
		return nil, errors.New("must be keys such as ctrl+b or f7, or the word none")
	case len(words) > maxKeys:
		return nil, fmt.Errorf("at most %d keys are allowed, not %d", maxKeys, len(words))
	case len(words) == 1 && words[0] == noKey && row.Fixed:
		return nil, fmt.Errorf("%s cannot be removed: the chat would be unusable without it", ShowKey(row.Keys[0]))
	case len(words) == 1 && words[0] == noKey:
		return []string{}, nil
	}
	var keys []string
	for _, word := range words {
		k, err := checkKey(row, word)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

// CheckKeyAction returns an error for an unknown action.
func CheckKeyAction(name string) error {
	if _, ok := FindKeyAction(name); ok {
		return nil
	}
	var names []string
	for _, a := range KeyActions() {
		names = append(names, a.Name)
	}
	hint := "there are: " + strings.Join(names, ", ")
	if near := personas.Nearest(name, names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return fmt.Errorf("there is no action %q (%s)", name, hint)
}

func checkKey(a KeyAction, name string) (string, error) {
	if other, ok := otherNames[name]; ok {
		name = other
	}
	press, ok := ParseKey(name)
	isFixed := slices.ContainsFunc(KeyActions(), func(other KeyAction) bool {
		return other.Fixed && other.Keys[0] == name
	})
	switch {
	case slices.Contains(a.Keys, name):
		return name, nil
	case !ok || press.String() != name:
		return "", fmt.Errorf("%q cannot be used: write for example ctrl+b, alt+x, f7, shift+tab or pgup", name)
	case isFixed || slices.Contains([]string{"space", "backspace", "delete", "left", "right", "home", "end"}, name):
		return "", fmt.Errorf("%s has a fixed meaning: choose one with Ctrl or Alt, or a function key", ShowKey(name))
	}
	return name, nil
}

var otherNames = map[string]string{
	"escape": "esc", "return": "enter", "pageup": "pgup", "pagedown": "pgdown", "pgdn": "pgdown",
	"del": "delete", "ins": "insert",
	"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc", "ctrl+h": "backspace",
}

// ParseKey returns the key with a name, for example "ctrl+b", "alt+x" or "f7".
func ParseKey(name string) (tea.KeyMsg, bool) {
	rest, alt := strings.CutPrefix(name, "alt+")
	if utf8.RuneCountInString(rest) == 1 && rest != " " {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(rest), Alt: alt}, alt
	}
	if rest == "" {
		return tea.KeyMsg{}, false
	}
	for kind := tea.KeyType(-maxNegativeKey); kind <= 127; kind++ {
		if kind != tea.KeyRunes && kind != tea.KeySpace && kind.String() == rest {
			return tea.KeyMsg{Type: kind, Alt: alt}, true
		}
	}
	return tea.KeyMsg{}, false
}

const maxNegativeKey = 200

// Move is a key of the vim preset outside text input.
type Move struct {
	// Key is bubbletea's name of the key. Shown is the name in the help, or "" if the previous row
	// includes the key.
	Key, Shown string
	Action     string
	// Does is the text in the help, or "" if the previous row includes the key.
	Does string
}

// Moves returns the keys of the vim preset for all views.
func Moves() []Move {
	return []Move{
		{"j", "j, k", "down", "down and up"}, {"k", "", "up", ""},
		{"g", "g, G", "top", "to the beginning and to the end"}, {"G", "", "bottom", ""},
		{"ctrl+d", "Ctrl+D, Ctrl+U", "page-down", "a page down and up"}, {"ctrl+u", "", "page-up", ""},
		{"q", "q", "cancel", "go back"},
	}
}

// ReadingKeys returns the keys of the vim preset only for the conversation.
func ReadingKeys() []Move {
	return []Move{
		{"i", "i, a", "", "write again"}, {"a", "", "", ""},
		{"/", "/", "", "search"}, {":", ":", "", "write a command"}, {"y", "y", "", "copy"},
	}
}

// MoveKey translates a key of the vim preset. The result is false for other keys.
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
