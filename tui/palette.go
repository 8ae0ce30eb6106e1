package tui

import (
	tea "github.com/charmbracelet/bubbletea"
)

// openPalette lists every command with its key, to be found by typing.
func (c *chat) openPalette() {
	known := Commands()
	choices := make([]choice, len(known))
	for i, k := range known {
		choices[i] = choice{title: k.Help, tag: "/" + k.Name, more: k.Name}
		if k.key != nil {
			choices[i].tag = k.key(&c.keys).Help().Key
		}
	}
	list := newMenu(c.st, c.keys, choices, "what do you want to do?")
	list.dense, list.fuzzy = true, true
	list.narrow()
	c.open(&chooser{
		env: c.env, menu: list, close: c.keys.Palette, title: "Commands", foot: "Enter does it, letters search, Esc goes back",
		choose: func(i int) (tea.Cmd, bool) { return c.fromPalette(&known[i]), true },
	})
}

// fromPalette does a command; what it opens comes in the palette's place.
func (c *chat) fromPalette(chosen *Command) tea.Cmd {
	c.over = nil
	return c.obey(chosen.Name, "")
}
