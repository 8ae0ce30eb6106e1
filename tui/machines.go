package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
)

func (c *chat) goToMachine(arg string) tea.Cmd {
	if arg == "" {
		return c.readMachines(func(list []conversation.ListedMachine, _ wire.Progress) { c.showMachines(list) })
	}
	at, err := conversation.FindListed(c.current.Machines, arg)
	switch {
	case err != nil:
		c.trouble = err.Error()
	case c.state.isOut():
		c.trouble = c.refusal()
	default:
		return c.openMachine(at.ID, c.env.requester.EnterMachine)
	}
	return nil
}

func (c *chat) showMachines(places []conversation.ListedMachine) {
	choices, here := make([]views.Choice, len(places)), 0
	for i, at := range places {
		choices[i] = views.Choice{Title: at.ShownTitle(c.current.Author), About: at.About, Tag: at.StatusWords(), Locked: at.Status == conversation.MachineLocked}
		if at.ID == c.current.Session.Machine.ID {
			choices[i].Tag += ", here"
			here = i
		}
		if choices[i].Locked && at.Hint != "" {
			choices[i].About = at.Hint
		}
	}
	list := views.NewList(c.env.st, c.env.keys, choices, "search")
	list.MoveCursorTo(here)
	c.over = &views.ListOverlay{
		Menu: list, Close: c.env.keys.Machines,
		Title: "Your story with " + c.current.User.Persona.CharacterName(), Foot: "Enter goes to the part, Esc goes back",
		Choose: func(i int) (tea.Cmd, bool) {
			switch {
			case places[i].ID == c.current.Session.Machine.ID:
				return nil, true
			case c.state.isOut():
				return nil, false
			}
			return c.openMachine(places[i].ID, c.env.requester.EnterMachine), true
		},
		Refuse: func(i int) string { return conversation.Capitalize(places[i].ClosedWords()) + "." },
	}
}
