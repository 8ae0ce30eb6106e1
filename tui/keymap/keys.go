package keymap

import (
	"github.com/charmbracelet/bubbles/key"
)

// Map is every key of the full screen, in the order in which F1 shows them.
type Map struct {
	Send, NewLine, Cancel           key.Binding
	Up, Down, PageUp, PageDown      key.Binding
	Top, Bottom, Machines, Personas key.Binding
	Palette, Complete, Sessions     key.Binding
	Search, Copy, Editor            key.Binding
	Rename, Forget, Fresh           key.Binding
	Author, Director                key.Binding
	Standing, Panel                 key.Binding
	Help, Interrupt, Leave, Suspend key.Binding
}

// NewMap is the keys as they are bound.
func NewMap() Map {
	bind := func(keys []string, shown, does string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, does))
	}
	return Map{
		Send:      bind([]string{"enter"}, "Enter", "send, or choose"),
		NewLine:   bind([]string{"alt+enter", "ctrl+j"}, "Alt+Enter", "new line (also Ctrl+J)"),
		Cancel:    bind([]string{"esc"}, "Esc", "stop waiting, or go back"),
		Up:        bind([]string{"up"}, "Up", "previous choice or line"),
		Down:      bind([]string{"down"}, "Down", "next choice or line"),
		PageUp:    bind([]string{"pgup"}, "PgUp", "read further up"),
		PageDown:  bind([]string{"pgdown"}, "PgDn", "read further down"),
		Top:       bind([]string{"ctrl+home"}, "Ctrl+Home", "to the beginning"),
		Bottom:    bind([]string{"ctrl+end"}, "Ctrl+End", "to the newest"),
		Machines:  bind([]string{"f4"}, "F4", "the parts of the story"),
		Personas:  bind([]string{"f3"}, "F3", "other personas"),
		Palette:   bind([]string{"ctrl+p"}, "Ctrl+P", "all commands"),
		Complete:  bind([]string{"tab"}, "Tab", "complete a command"),
		Sessions:  bind([]string{"ctrl+s"}, "Ctrl+S", "your sessions"),
		Search:    bind([]string{"ctrl+r"}, "Ctrl+R", "search what was said"),
		Copy:      bind([]string{"ctrl+y"}, "Ctrl+Y", "copy the last reply; in a search, the message"),
		Editor:    bind([]string{"ctrl+o"}, "Ctrl+O", "write in your editor"),
		Rename:    bind([]string{"ctrl+t"}, "Ctrl+T", "sessions: give this one a name"),
		Forget:    bind([]string{"ctrl+x"}, "Ctrl+X", "sessions: forget this one"),
		Fresh:     bind([]string{"ctrl+n"}, "Ctrl+N", "sessions: begin a new one"),
		Author:    bind([]string{"f2"}, "F2", "why: each turn as its author sees it"),
		Director:  bind([]string{"f5"}, "F5", "director: choose what your words do (offline model)"),
		Standing:  bind([]string{"f6"}, "F6", "where you stand: goal, score, tries, parts"),
		Panel:     bind([]string{"f7"}, "F7", "the side panel: hide it or show it again"),
		Help:      bind([]string{"f1"}, "F1", "these keys"),
		Interrupt: bind([]string{"ctrl+c"}, "Ctrl+C", "twice: leave"),
		Leave:     bind([]string{"ctrl+d"}, "Ctrl+D", "leave"),
		Suspend:   bind([]string{"ctrl+z"}, "Ctrl+Z", "to the shell and, with fg, back (not on Windows)"),
	}
}

// ListBindings is the key table that help is made from.
func (m Map) ListBindings() []key.Binding {
	return []key.Binding{
		m.Send, m.NewLine, m.Cancel, m.Up, m.Down, m.PageUp, m.PageDown, m.Top, m.Bottom,
		m.Palette, m.Complete, m.Author, m.Personas, m.Machines, m.Director, m.Standing, m.Panel, m.Sessions, m.Search, m.Copy, m.Editor,
		m.Rename, m.Forget, m.Fresh, m.Help, m.Interrupt, m.Leave, m.Suspend,
	}
}

// FindBinding gives the key that help shows by a name; false for "".
func (m Map) FindBinding(shown string) (key.Binding, bool) {
	for _, b := range m.ListBindings() {
		if shown != "" && b.Help().Key == shown {
			return b, true
		}
	}
	return key.Binding{}, false
}
