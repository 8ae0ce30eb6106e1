package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// newDirector is the list of verdicts over the chat; Enter says the input's words
// with the one that is chosen.
func (a *actions) newDirector(list []direction) overlay {
	choices := make([]choice, len(list))
	for i, v := range list {
		choices[i] = choice{title: v.words, about: v.about, tag: v.mark}
	}
	return &listOverlay{
		menu: newList(a.st, a.keys, choices, "search"), close: a.keys.Director,
		title:  "Director: what your words do, " + a.session.machine.findState(a.session.standing.state).title,
		foot:   "Enter says the input's words so, Esc goes back",
		choose: func(i int) (tea.Cmd, bool) { return a.sendDirected(list[i].mark), true },
	}
}

// sendDirected says what stands in the input with a mark behind it.
func (a *actions) sendDirected(mark string) tea.Cmd {
	if a.wait != nil {
		a.trouble = a.oneMoment()
		return nil
	}
	a.input.setText(strings.TrimSpace(a.input.text() + " " + mark))
	return a.sendInput()
}

// DirectModel opens the list of verdicts, or says what arg asks for of it, where
// the offline model plays.
func (a *actions) DirectModel(arg string) tea.Cmd {
	switch {
	case a.session.standing.isFinished():
		a.trouble = a.session.machine.title + " has ended: there is nothing to direct"
		return nil
	case a.opts.Directed:
		return a.handleDirection(directionAskedMsg{a.session.id, arg, nil})
	}
	v, m, session := a.user, a.session.machine, a.session.id
	return func() tea.Msg { return directionAskedMsg{session, arg, a.requester.checkDirectable(a.ctx, v, m)} }
}

// directionAskedMsg: whether directions can be given.
type directionAskedMsg struct {
	sessionID, arg string
	err            error
}

func (a *actions) handleDirection(msg directionAskedMsg) tea.Cmd {
	list := a.session.machine.listDirections(a.session.standing)
	switch {
	case msg.sessionID != a.session.id || a.session.standing.isFinished():
	case msg.err != nil:
		a.trouble = a.requester.explainError(msg.err)
	case msg.arg == "":
		a.openOverlay(a.newDirector(list))
	default:
		text, err := applyDirection(list, msg.arg)
		if err != nil {
			a.trouble = err.Error()
			return nil
		}
		a.input.setText(text)
		return a.sendInput()
	}
	return nil
}
