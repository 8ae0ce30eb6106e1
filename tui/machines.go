package tui

import (
	tea "github.com/charmbracelet/bubbletea"
)

// machinesCommand goes to a machine, or shows the list.
func (c *chat) machinesCommand(arg string) tea.Cmd {
	if arg == "" {
		return c.askPlaces(false, true)
	}
	at, err := findPlace(c.progress, arg)
	switch {
	case err != nil:
		c.trouble = err.Error()
	case c.wait != nil:
		c.trouble = c.oneMoment()
	default:
		return c.goTo(at.id, c.desk.enter)
	}
	return nil
}

// machineOffers are the machines as arguments of a command, locked ones with the
// reason.
func machineOffers(c *chat) []offer {
	list := make([]offer, len(c.progress))
	for i, at := range c.progress {
		list[i] = offer{text: at.key, about: at.title + ", " + at.words(), ends: true}
		if at.hint != "" {
			list[i].about += ": " + at.hint
		}
	}
	return list
}

// showMachines puts the list of machines over the conversation.
func (c *chat) showMachines(places []place) {
	choices := make([]choice, len(places))
	for i, at := range places {
		choices[i] = choice{title: at.title, about: at.about, tag: at.words(), locked: at.status == placeLocked}
		if at.id == c.scene.machine.id {
			choices[i].tag += ", here"
		}
		if choices[i].locked && at.hint != "" {
			choices[i].about = at.hint
		}
	}
	c.open(&chooser{
		env: c.env, menu: newMenu(c.st, c.keys, choices, "search"), close: c.keys.Machines,
		title: "Machines of " + c.visit.cast.characterName(), foot: "Enter goes there, Esc goes back",
		choose: func(i int) (tea.Cmd, bool) { return c.goToPlace(places[i]) },
	})
}

// goToPlace leaves the list for a machine, unless a question is under way.
func (c *chat) goToPlace(at place) (tea.Cmd, bool) {
	switch {
	case at.id == c.scene.machine.id:
		return nil, true
	case c.wait != nil:
		return nil, false
	}
	return c.goTo(at.id, c.desk.enter), true
}
