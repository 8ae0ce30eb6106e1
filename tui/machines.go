package tui

import (
	"cmp"
	"context"
	"strings"

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
		choices[i] = views.Choice{
			Title: at.ShownTitle(c.current.Author), About: at.About, Tag: at.StatusWords(),
			Locked: at.Status == conversation.MachineLocked,
		}
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
		Title: "Your story with " + c.current.User.Persona.CharacterName(),
		Foot:  "Enter goes to the part, Esc goes back",
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

func (c *chat) newDirector(list []conversation.Direction) overlay {
	choices := make([]views.Choice, len(list))
	for i, direction := range list {
		choices[i] = views.Choice{Title: direction.Words, About: direction.About, Tag: direction.Mark}
	}
	at := c.current.Session.Machine.FindState(c.current.Session.Standing.State)
	return &views.ListOverlay{
		Menu: views.NewList(c.env.st, c.env.keys, choices, "search"), Close: c.env.keys.Director,
		Title:  "Director: what your words do, " + at.Title,
		Foot:   "Enter sends the input with this effect, Esc goes back",
		Choose: func(i int) (tea.Cmd, bool) { return c.sendDirected(list[i].Mark), true },
	}
}

func (c *chat) sendDirected(mark string) tea.Cmd {
	if c.state.isOut() {
		c.trouble = c.refusal()
		return nil
	}
	c.input.SetText(strings.TrimSpace(c.input.Text() + " " + mark))
	return c.sendInput()
}

func (c *chat) directModel(arg string) tea.Cmd {
	switch {
	case c.current.Session.Standing.IsFinished():
		c.trouble = c.current.Session.Machine.Title + " has ended: directions are not possible"
		return nil
	case !c.current.Author:
		c.trouble = conversation.RefuseDirections(cmp.Or(c.env.keys.ShownKey("why"), "/why"))
		return nil
	case c.env.opts.Directed:
		return c.sendDirection(arg)
	}
	user, machine, sessionID := c.current.User, c.current.Session.Machine, c.current.Session.ID
	return c.runAsync(func(ctx context.Context) func() tea.Cmd {
		err := c.env.requester.CheckDirectable(ctx, user, machine)
		return func() tea.Cmd {
			switch {
			case sessionID != c.current.Session.ID || c.current.Session.Standing.IsFinished():
			case err != nil:
				c.trouble = c.env.requester.ExplainError(err)
			default:
				return c.sendDirection(arg)
			}
			return nil
		}
	})
}

func (c *chat) sendDirection(arg string) tea.Cmd {
	list := c.current.Session.Machine.ListDirections(c.current.Session.Standing)
	if arg == "" {
		c.over = c.newDirector(list)
		return nil
	}
	text, err := conversation.ApplyDirection(list, arg)
	if err != nil {
		c.trouble = err.Error()
		return nil
	}
	c.input.SetText(text)
	return c.sendInput()
}
