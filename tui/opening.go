package tui

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
)

func (c *chat) showSession(session *conversation.Session) {
	c.current.Session, c.unseen, c.ending = session, conversation.Turn{}, nil
	c.current.Spent.AddTokens(session.Tokens)
	begins := chapterEntry(session)
	if len(c.log.Entries) == 0 {
		c.log.AddOpening(c.env.portraits.OpeningCard(c.current.User, session.Machine))
		begins.Name = "" // The card shows the aim.
	}
	c.log.AddEntry(begins)
	c.addEntries(c.messageEntries(session.Machine, session.TellMessages()))
	if session.Resumed && !session.Standing.IsFinished() {
		c.log.AddNote(goingOn, views.ToneNews)
	}
	if session.Warning != "" {
		c.log.AddNote(session.Warning, views.ToneBad)
	}
	c.addEntries(c.endingEntries(session))
	c.log.ScrollToEnd()
	c.advance(eventAnswer)
	c.holdText()
	c.releaseHeld()
}

func (c *chat) hasInput() bool { return c.input.Text() != "" }

func (c *chat) openMachine(machine string, by conversation.MachineOpener) tea.Cmd {
	c.over = nil
	if !c.advance(eventOpen).has(startRequest) {
		return nil
	}
	c.ending = nil
	m, v, s := c.current.User.Persona.FindMachine(machine), c.current.User, conversation.NewReplyStream()
	c.log.ForgetBroken()
	asking := c.startRequest("opening "+m.Title, func(ctx context.Context, t ticket) tea.Msg {
		defer s.EndWords()
		sc, err := by(ctx, v, machine, s.AddWords)
		if err != nil {
			return failedMsg{ticket: t, what: m.Title + " did not open", err: err}
		}
		return sessionOpenedMsg{t, sc, false}
	})
	c.request.stream, c.request.opening = s, m
	return tea.Batch(asking, awaitWords(s, wordsCameMsg{c.currentTicket()}))
}

func (c *chat) switchSession(msg sessionOpenedMsg) tea.Cmd {
	if !c.expects(msg.ticket) {
		return nil
	}
	views.BreakOpening(c.log, false) // The complete opening replaces it.
	switch {
	case msg.session.Resumed: // Show the whole transcript again, with the other parts above this part.
		c.log.ClearEntries()
		c.story = story{then: c.story.then}
	case msg.fresh:
		c.log.DropChapter(msg.session.ID)
		if !slices.ContainsFunc(c.log.Entries, func(e views.Entry) bool { return e.Kind == views.ChapterEntry }) {
			c.log.ClearEntries()
		}
	}
	c.showSession(msg.session)
	return tea.Batch(c.readMachines(false, false), c.playNext())
}

func (c *chat) readMachines(say, open bool) tea.Cmd {
	v, session := c.current.User, c.current.Session.ID
	return func() tea.Msg {
		list, progress, err := c.env.requester.ListMachines(c.env.ctx, v)
		if err != nil {
			return machinesFailedMsg{session, err, say || open}
		}
		return machinesReadMsg{session, list, progress, say, open}
	}
}

func (c *chat) showCarried(p wire.Progress) {
	c.current.Carried = c.current.User.Persona.ListCarried(c.current.Session.Machine, p.CrossMachineVars)
	if c.current.Author {
		c.current.Carried = conversation.ListAllCarried(p.CrossMachineVars)
	}
	begins := len(c.current.Session.Messages) <= 1 && !c.current.Session.Resumed && c.carriedTo != c.current.Session.ID
	if len(c.current.Carried) == 0 || !begins {
		return
	}
	c.carriedTo = c.current.Session.ID
	c.log.AddNote("Carried over. "+strings.Join(c.current.Carried, "; "), views.ToneNews)
}
