package tui

import (
	"github.com/charmbracelet/bubbles/key"
)

// keyMap is every key of the full screen, in the order in which F1 shows them.
type keyMap struct {
	Send, NewLine, Cancel           key.Binding
	Up, Down, PageUp, PageDown      key.Binding
	Top, Bottom, Machines, Personas key.Binding
	Help, Interrupt, Leave          key.Binding
}

func newKeyMap() keyMap {
	bind := func(keys []string, shown, does string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, does))
	}
	return keyMap{
		Send:      bind([]string{"enter"}, "Enter", "send, or choose"),
		NewLine:   bind([]string{"alt+enter", "ctrl+j"}, "Alt+Enter", "new line (also Ctrl+J)"),
		Cancel:    bind([]string{"esc"}, "Esc", "stop waiting, or go back"),
		Up:        bind([]string{"up"}, "Up", "previous choice or line"),
		Down:      bind([]string{"down"}, "Down", "next choice or line"),
		PageUp:    bind([]string{"pgup"}, "PgUp", "read further up"),
		PageDown:  bind([]string{"pgdown"}, "PgDn", "read further down"),
		Top:       bind([]string{"ctrl+home"}, "Ctrl+Home", "to the beginning"),
		Bottom:    bind([]string{"ctrl+end"}, "Ctrl+End", "to the newest"),
		Machines:  bind([]string{"f2"}, "F2", "machines"),
		Personas:  bind([]string{"f3"}, "F3", "other personas"),
		Help:      bind([]string{"f1"}, "F1", "these keys"),
		Interrupt: bind([]string{"ctrl+c"}, "Ctrl+C", "twice: leave"),
		Leave:     bind([]string{"ctrl+d"}, "Ctrl+D", "leave"),
	}
}

// table is the key table that help is made from.
func (k keyMap) table() []key.Binding {
	return []key.Binding{
		k.Send, k.NewLine, k.Cancel, k.Up, k.Down, k.PageUp, k.PageDown, k.Top, k.Bottom,
		k.Machines, k.Personas, k.Help, k.Interrupt, k.Leave,
	}
}
