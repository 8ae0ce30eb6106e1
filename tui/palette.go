package tui

import (
	tea "github.com/charmbracelet/bubbletea"
)

// openPalette lists every command with its key, to be found by typing.
func (a *actions) openPalette() {
	known := Commands[tea.Cmd]()
	choices := make([]choice, len(known))
	for i, k := range known {
		choices[i] = choice{title: k.Help, tag: "/" + k.Name, more: k.Name}
		if k.Key != "" {
			choices[i].tag = k.Key
		}
	}
	list := newList(a.st, a.keys, choices, "what do you want to do?")
	list.dense, list.fuzzy = true, true
	list.narrowList()
	a.openOverlay(&listOverlay{
		menu: list, close: a.keys.Palette, title: "Commands", foot: "Enter does it, letters search, Esc goes back",
		choose: func(i int) (tea.Cmd, bool) { return a.fromPalette(&known[i]), true },
	})
}

// fromPalette does a command; what it opens comes in the palette's place.
func (a *actions) fromPalette(chosen *Command[tea.Cmd]) tea.Cmd {
	a.over = nil
	return a.runCommand(chosen, "")
}
