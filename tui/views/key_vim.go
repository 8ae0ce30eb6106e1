package views

import (
	tea "github.com/charmbracelet/bubbletea"
)

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
