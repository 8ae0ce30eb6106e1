package tui

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/picker"
)

// openPalette lists every command with its key, to be found by typing.
func (a *actions) openPalette() {
	known := conversation.Commands[tea.Cmd]()
	choices := make([]picker.Choice, len(known))
	for i, k := range known {
		choices[i] = picker.Choice{Title: k.Help, Tag: "/" + k.Name, More: k.Name}
		if k.Key != "" {
			choices[i].Tag = k.Key
		}
	}
	list := picker.NewList(a.st, a.keys, choices, "what do you want to do?")
	list.Dense, list.Fuzzy = true, true
	list.NarrowList()
	a.openOverlay(&picker.Overlay{
		Menu: list, Close: a.keys.Palette, Title: "Commands", Foot: "Enter does it, letters search, Esc goes back",
		Choose: func(i int) (tea.Cmd, bool) { return a.fromPalette(&known[i]), true },
	})
}

// fromPalette does a command; what it opens comes in the palette's place.
func (a *actions) fromPalette(chosen *conversation.Command[tea.Cmd]) tea.Cmd {
	a.over = nil
	return a.runCommand(chosen, "")
}
