package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
)

// GoToMachine goes to a machine, or shows the list.
func (a *actions) GoToMachine(arg string) tea.Cmd {
	if arg == "" {
		return a.readMachines(false, true)
	}
	at, err := conversation.FindListed(a.Machines, arg)
	switch {
	case err != nil:
		a.trouble = err.Error()
	case a.wait != nil:
		a.trouble = a.oneMoment()
	default:
		return a.openMachine(at.ID, a.requester.EnterMachine)
	}
	return nil
}

// CompleteMachine are the machines as arguments of a command; locked ones only for
// authors, with the reason.
func (c *completer) CompleteMachine() []conversation.Completion {
	var list []conversation.Completion
	for _, at := range c.Machines {
		if at.Status == conversation.MachineLocked && !c.Author {
			continue
		}
		one := conversation.Completion{Text: at.Key, About: at.Title + ", " + at.StatusWords(), Whole: true}
		if at.Hint != "" {
			one.About += ": " + at.Hint
		}
		list = append(list, one)
	}
	return list
}

// showMachines puts the list of machines over the conversation.
func (a *actions) showMachines(places []conversation.ListedMachine) {
	choices, here := make([]views.Choice, len(places)), 0
	for i, at := range places {
		choices[i] = views.Choice{Title: at.ShownTitle(a.Author), About: at.About, Tag: at.StatusWords(), Locked: at.Status == conversation.MachineLocked}
		if at.ID == a.Session.Machine.ID {
			choices[i].Tag += ", here"
			here = i
		}
		if choices[i].Locked && at.Hint != "" {
			choices[i].About = at.Hint
		}
	}
	list := views.NewList(a.st, a.keys, choices, "search")
	list.MoveCursorTo(here)
	a.openOverlay(&views.ListOverlay{
		Menu: list, Close: a.keys.Machines,
		Title: "Your story with " + a.User.Persona.CharacterName(), Foot: "Enter goes there, Esc goes back",
		Choose: func(i int) (tea.Cmd, bool) { return a.goToPlace(places[i]) },
		Refuse: func(i int) string { return conversation.Capitalize(places[i].ClosedWords()) + "." },
	})
}

// goToPlace leaves the list for a machine, unless a question is under way.
func (a *actions) goToPlace(at conversation.ListedMachine) (tea.Cmd, bool) {
	switch {
	case at.ID == a.Session.Machine.ID:
		return nil, true
	case a.wait != nil:
		return nil, false
	}
	return a.openMachine(at.ID, a.requester.EnterMachine), true
}
