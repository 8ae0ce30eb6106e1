package tui

import (
	"cmp"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
)

// newDirector returns the list of directions over the chat; Enter sends the input with the chosen
// one.
func (a *actions) newDirector(list []conversation.Direction) overlay {
	choices := make([]views.Choice, len(list))
	for i, v := range list {
		choices[i] = views.Choice{Title: v.Words, About: v.About, Tag: v.Mark}
	}
	return &views.ListOverlay{
		Menu: views.NewList(a.st, a.keys, choices, "search"), Close: a.keys.Director,
		Title:  "Director: what your words do, " + a.Session.Machine.FindState(a.Session.Standing.State).Title,
		Foot:   "Enter says the input's words so, Esc goes back",
		Choose: func(i int) (tea.Cmd, bool) { return a.sendDirected(list[i].Mark), true },
	}
}

// sendDirected sends the input with a mark appended.
func (a *actions) sendDirected(mark string) tea.Cmd {
	if a.wait != nil {
		a.trouble = a.oneMoment()
		return nil
	}
	a.input.SetText(strings.TrimSpace(a.input.Text() + " " + mark))
	return a.sendInput()
}

// DirectModel opens the list of directions, or sends the one that arg names, if the offline model
// plays. Only the author may use it.
func (a *actions) DirectModel(arg string) tea.Cmd {
	switch {
	case a.Session.Standing.IsFinished():
		a.trouble = a.Session.Machine.Title + " has ended: there is nothing to direct"
		return nil
	case !a.Author:
		a.trouble = conversation.RefuseDirections(cmp.Or(a.keys.ShownKey("why"), "/why"))
		return nil
	case a.opts.Directed:
		return a.handleDirection(directionAskedMsg{a.Session.ID, arg, nil})
	}
	v, m, session := a.User, a.Session.Machine, a.Session.ID
	return func() tea.Msg { return directionAskedMsg{session, arg, a.requester.CheckDirectable(a.ctx, v, m)} }
}

// directionAskedMsg: whether directions can be given.
type directionAskedMsg struct {
	sessionID, arg string
	err            error
}

func (a *actions) handleDirection(msg directionAskedMsg) tea.Cmd {
	list := a.Session.Machine.ListDirections(a.Session.Standing)
	switch {
	case msg.sessionID != a.Session.ID || a.Session.Standing.IsFinished():
	case msg.err != nil:
		a.trouble = a.requester.ExplainError(msg.err)
	case msg.arg == "":
		a.openOverlay(a.newDirector(list))
	default:
		text, err := conversation.ApplyDirection(list, msg.arg)
		if err != nil {
			a.trouble = err.Error()
			return nil
		}
		a.input.SetText(text)
		return a.sendInput()
	}
	return nil
}
