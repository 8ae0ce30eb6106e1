package tui

import (
	tea "github.com/charmbracelet/bubbletea"
)

// GoToMachine goes to a machine, or shows the list.
func (a *actions) GoToMachine(arg string) tea.Cmd {
	if arg == "" {
		return a.readMachines(false, true)
	}
	at, err := findListed(a.machines, arg)
	switch {
	case err != nil:
		a.trouble = err.Error()
	case a.wait != nil:
		a.trouble = a.oneMoment()
	default:
		return a.openMachine(at.id, a.requester.enterMachine)
	}
	return nil
}

// CompleteMachine are the machines as arguments of a command, locked ones with the
// reason.
func (c *completer) CompleteMachine() []Completion {
	list := make([]Completion, len(c.machines))
	for i, at := range c.machines {
		list[i] = Completion{Text: at.key, About: at.title + ", " + at.statusWords(), Whole: true}
		if at.hint != "" {
			list[i].About += ": " + at.hint
		}
	}
	return list
}

// showMachines puts the list of machines over the conversation.
func (a *actions) showMachines(places []listedMachine) {
	choices := make([]choice, len(places))
	for i, at := range places {
		choices[i] = choice{title: at.title, about: at.about, tag: at.statusWords(), locked: at.status == machineLocked}
		if at.id == a.session.machine.id {
			choices[i].tag += ", here"
		}
		if choices[i].locked && at.hint != "" {
			choices[i].about = at.hint
		}
	}
	a.openOverlay(&listOverlay{
		menu: newList(a.st, a.keys, choices, "search"), close: a.keys.Machines,
		title: "Machines of " + a.user.persona.characterName(), foot: "Enter goes there, Esc goes back",
		choose: func(i int) (tea.Cmd, bool) { return a.goToPlace(places[i]) },
	})
}

// goToPlace leaves the list for a machine, unless a question is under way.
func (a *actions) goToPlace(at listedMachine) (tea.Cmd, bool) {
	switch {
	case at.id == a.session.machine.id:
		return nil, true
	case a.wait != nil:
		return nil, false
	}
	return a.openMachine(at.id, a.requester.enterMachine), true
}
