package tui

import (
	tea "github.com/charmbracelet/bubbletea"
)

// GoToMachine goes to a machine, or shows the list.
func (a *actions) GoToMachine(arg string) tea.Cmd {
	if arg == "" {
		return a.askPlaces(false, true)
	}
	at, err := findPlace(a.progress, arg)
	switch {
	case err != nil:
		a.trouble = err.Error()
	case a.wait != nil:
		a.trouble = a.oneMoment()
	default:
		return a.goTo(at.id, a.desk.enter)
	}
	return nil
}

// CompleteMachine are the machines as arguments of a command, locked ones with the
// reason.
func (c *completer) CompleteMachine() []Completion {
	list := make([]Completion, len(c.progress))
	for i, at := range c.progress {
		list[i] = Completion{Text: at.key, About: at.title + ", " + at.words(), Whole: true}
		if at.hint != "" {
			list[i].About += ": " + at.hint
		}
	}
	return list
}

// showMachines puts the list of machines over the conversation.
func (a *actions) showMachines(places []place) {
	choices := make([]choice, len(places))
	for i, at := range places {
		choices[i] = choice{title: at.title, about: at.about, tag: at.words(), locked: at.status == placeLocked}
		if at.id == a.scene.machine.id {
			choices[i].tag += ", here"
		}
		if choices[i].locked && at.hint != "" {
			choices[i].about = at.hint
		}
	}
	a.open(&chooser{
		env: a.env, menu: newMenu(a.st, a.keys, choices, "search"), close: a.keys.Machines,
		title: "Machines of " + a.visit.cast.characterName(), foot: "Enter goes there, Esc goes back",
		choose: func(i int) (tea.Cmd, bool) { return a.goToPlace(places[i]) },
	})
}

// goToPlace leaves the list for a machine, unless a question is under way.
func (a *actions) goToPlace(at place) (tea.Cmd, bool) {
	switch {
	case at.id == a.scene.machine.id:
		return nil, true
	case a.wait != nil:
		return nil, false
	}
	return a.goTo(at.id, a.desk.enter), true
}
