package views

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"

	"github.com/parley-npc/parley/tui/conversation"
)

// KeyMap contains the key bindings of the full screen.
type KeyMap struct {
	Send, NewLine, Cancel           key.Binding
	Up, Down, PageUp, PageDown      key.Binding
	Top, Bottom, Machines, Personas key.Binding
	Palette, Complete, Sessions     key.Binding
	Search, Copy, Editor            key.Binding
	Undo, Redo                      key.Binding
	TakeBack, Reword, Fork          key.Binding
	Rename, Forget, Fresh           key.Binding
	Author, Director, Update        key.Binding
	Standing, Panel, Mouse          key.Binding
	Help, Interrupt, Leave, Suspend key.Binding
	// Vim selects the vim preset, with letters as keys outside text input.
	Vim bool
}

// KeyAction is an action of the full screen with its default keys.
type KeyAction struct {
	// Name is the NAME in the setting chat.keys.NAME.
	Name string
	// Keys contains the default keys, in bubbletea's notation.
	Keys []string
	// Does describes the action in the help.
	Does string
	// Group is the heading in the help.
	Group conversation.Group
	// Fixed means that the first key cannot be removed.
	Fixed bool

	binding *key.Binding
}

// KeyActions returns the key table in the order of the help.
func KeyActions() []KeyAction { return new(KeyMap).actions() }

func (m *KeyMap) actions() []KeyAction {
	row := func(group conversation.Group, name, keys, help string, binding *key.Binding) KeyAction {
		return KeyAction{Name: name, Keys: strings.Fields(keys), Does: help, Group: group, binding: binding}
	}
	fixed := func(a KeyAction) KeyAction {
		a.Fixed = true
		return a
	}
	return []KeyAction{
		fixed(row(conversation.GroupWriting, "send", "enter", "send, or choose", &m.Send)),
		row(conversation.GroupWriting, "new-line", "alt+enter ctrl+j", "new line", &m.NewLine),
		fixed(row(conversation.GroupWriting, "cancel", "esc", "stop waiting, or go back", &m.Cancel)),
		fixed(row(conversation.GroupReading, "up", "up", "previous choice or line", &m.Up)),
		fixed(row(conversation.GroupReading, "down", "down", "next choice or line", &m.Down)),
		row(conversation.GroupReading, "page-up", "pgup", "scroll up by a page", &m.PageUp),
		row(conversation.GroupReading, "page-down", "pgdown", "scroll down by a page", &m.PageDown),
		row(conversation.GroupReading, "top", "ctrl+home", "to the beginning", &m.Top),
		row(conversation.GroupReading, "bottom", "ctrl+end", "to the end", &m.Bottom),
		row(conversation.GroupWriting, "commands", "ctrl+p", "all commands", &m.Palette),
		row(conversation.GroupWriting, "complete", "tab", "complete a command", &m.Complete),
		row(conversation.GroupStory, "why", "f2", "why: each turn as the persona's author sees it", &m.Author),
		row(conversation.GroupPeople, "personas", "f3", "other personas", &m.Personas),
		row(conversation.GroupStory, "parts", "f4", "the parts of the story", &m.Machines),
		row(conversation.GroupStory, "direct", "f5", "director: choose what your words do (offline model)", &m.Director),
		row(conversation.GroupStory, "update", "f9", "continue in the latest version of the character", &m.Update),
		row(conversation.GroupStory, "state", "f6", "your goal, score, tries and parts", &m.Standing),
		row(conversation.GroupWindow, "panel", "f7", "the side panel: hide it or show it again", &m.Panel),
		row(conversation.GroupPeople, "sessions", "ctrl+s", "your sessions", &m.Sessions),
		row(conversation.GroupReading, "search", "ctrl+r", "search what was said", &m.Search),
		row(conversation.GroupReading, "copy", "ctrl+y", "copy the last reply; in a search, the message", &m.Copy),
		row(conversation.GroupWriting, "edit", "ctrl+o", "write in your editor", &m.Editor),
		row(conversation.GroupWriting, "undo", "ctrl+_ alt+u", "undo the last change", &m.Undo),
		row(conversation.GroupWriting, "redo", "alt+e", "redo what was undone", &m.Redo),
		row(conversation.GroupBack, "take-back", "alt+z", "take your last message back, or the chosen one and all after it", &m.TakeBack),
		row(conversation.GroupBack, "reword", "alt+r", "get another reply to your last message, or to the chosen one", &m.Reword),
		row(conversation.GroupBack, "fork", "alt+n", "save a branch that ends at the chosen message", &m.Fork),
		row(conversation.GroupPeople, "rename-session", "ctrl+t", "sessions: give this one a name", &m.Rename),
		row(conversation.GroupPeople, "forget-session", "ctrl+x", "sessions: forget this one", &m.Forget),
		row(conversation.GroupPeople, "new-session", "ctrl+n", "sessions: begin a new one", &m.Fresh),
		row(conversation.GroupWindow, "mouse", "f8", "let the terminal or parley handle the mouse", &m.Mouse),
		row(conversation.GroupWindow, "help", "f1", "these keys", &m.Help),
		fixed(row(conversation.GroupWindow, "interrupt", "ctrl+c", "clear the input; press twice to leave", &m.Interrupt)),
		row(conversation.GroupWindow, "leave", "ctrl+d", "leave", &m.Leave),
		row(conversation.GroupWindow, "suspend", "ctrl+z", "suspend to the shell; fg returns (not on Windows)", &m.Suspend),
	}
}

// FindKeyAction returns the row of the table with a name.
func FindKeyAction(name string) (KeyAction, bool) { return new(KeyMap).findAction(name) }

func (m *KeyMap) findAction(name string) (KeyAction, bool) {
	for _, a := range m.actions() {
		if a.Name == name {
			return a, true
		}
	}
	return KeyAction{}, false
}

// NewKeyMap returns the default keys.
func NewKeyMap() KeyMap {
	var m KeyMap
	for _, a := range m.actions() {
		*a.binding = a.bind(a.Keys)
	}
	return m
}

func (a *KeyAction) bind(keys []string) key.Binding {
	if len(keys) == 0 {
		return key.NewBinding(key.WithHelp("", a.Does))
	}
	help := a.Does
	if len(keys) > 1 {
		help += " (also " + showKeys(keys[1:]) + ")"
	}
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(ShowKey(keys[0]), help))
}

// ListGroup returns the bindings under a heading of the help, without unbound actions.
func (m KeyMap) ListGroup(group conversation.Group) []key.Binding {
	var list []key.Binding
	for _, a := range m.actions() {
		if b := *a.binding; a.Group == group && len(b.Keys()) > 0 {
			list = append(list, b)
		}
	}
	return list
}

// FindBinding returns the binding of an action. The result is false for an unknown or unbound
// action.
func (m KeyMap) FindBinding(action string) (key.Binding, bool) {
	a, ok := m.findAction(action)
	if !ok {
		return key.Binding{}, false
	}
	return *a.binding, len(a.binding.Keys()) > 0
}

// ShownKey returns the first key of an action, for example "Ctrl+P", or "".
func (m KeyMap) ShownKey(action string) string {
	b, _ := m.FindBinding(action)
	return b.Help().Key
}

// FootKey returns the part of a footer for an action, for example "F1 keys, ", or "".
func (m KeyMap) FootKey(action, words string) string {
	shown := m.ShownKey(action)
	if shown == "" {
		return ""
	}
	return shown + " " + words + ", "
}

// ShowKey formats a key name for people, for example "Ctrl+P".
func ShowKey(name string) string {
	parts := strings.Split(name, "+")
	for i, part := range parts {
		switch part {
		case "pgup":
			parts[i] = "PgUp"
		case "pgdown":
			parts[i] = "PgDn"
		case "":
		default:
			parts[i] = strings.ToUpper(part[:1]) + part[1:]
		}
	}
	return strings.Join(parts, "+")
}

func showKeys(names []string) string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = ShowKey(name)
	}
	return strings.Join(shown, ", ")
}
