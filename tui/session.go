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
		begins.Name = ""
	}
	c.log.AddEntry(begins)
	c.addEntries(c.messageEntries(session, session.TellMessages()))
	if session.Resumed && !session.Standing.IsFinished() {
		c.log.AddNote(goingOn, views.ToneNews)
	}
	if session.Warning != "" {
		c.log.AddNote(session.Warning, views.ToneBad)
	}
	c.addEntries(c.endingEntries(session))
	c.log.ScrollToEnd()
	c.advance(eventAnswer)
}

func (c *chat) hasInput() bool { return c.input.Text() != "" }

func (c *chat) openMachine(machine string, open conversation.MachineOpener) tea.Cmd {
	c.over = nil
	if !c.advance(eventOpen).has(startRequest) {
		return nil
	}
	c.ending = nil
	user, stream := c.current.User, conversation.NewReplyStream()
	opened := user.Persona.FindMachine(machine)
	c.log.ForgetBroken()
	asking := c.startRequest("opening "+opened.Title, opened.Title+" did not open",
		func(ctx context.Context) (func() tea.Cmd, error) {
			defer stream.EndWords()
			session, err := open(ctx, user, machine, stream.AddWords)
			return func() tea.Cmd { return c.switchSession(session, false) }, err
		})
	c.request.stream, c.request.opening = stream, opened
	return tea.Batch(asking, awaitWords(stream, wordsCameMsg{c.currentTicket()}))
}

func (c *chat) switchSession(session *conversation.Session, fresh bool) tea.Cmd {
	views.BreakOpening(c.log, false) // The complete opening replaces the streamed one.
	switch {
	case session.Resumed:
		c.log.ClearEntries()
		c.showsStory = false
	case fresh:
		c.log.DropChapter(session.ID)
		if !slices.ContainsFunc(c.log.Entries, func(e views.Entry) bool { return e.Kind == views.ChapterEntry }) {
			c.log.ClearEntries()
		}
	}
	c.showSession(session)
	return c.readParts()
}

func (c *chat) readParts() tea.Cmd {
	return tea.Batch(c.readMachines(nil), c.readStory(func() tea.Cmd { return nil }))
}

func (c *chat) readMachines(show func(list []conversation.ListedMachine, progress wire.Progress)) tea.Cmd {
	user, sessionID := c.current.User, c.current.Session.ID
	return c.runAsync(func(ctx context.Context) func() tea.Cmd {
		list, progress, err := c.env.requester.ListMachines(ctx, user)
		return func() tea.Cmd {
			switch {
			case sessionID != c.current.Session.ID:
			case err == nil:
				return c.updateMachines(list, progress, show)
			case show != nil:
				c.trouble = "the parts could not be read: " + c.env.requester.ExplainError(err)
			}
			return nil
		}
	})
}

func (c *chat) updateMachines(
	list []conversation.ListedMachine, progress wire.Progress,
	show func([]conversation.ListedMachine, wire.Progress),
) tea.Cmd {
	c.current.Machines = list
	c.showCarried(progress)
	if c.ending != nil {
		c.ending.UpdateSteps()
	}
	if show != nil {
		show(list, progress)
	}
	return nil
}

func (c *chat) showCarried(progress wire.Progress) {
	c.current.Carried = c.current.User.Persona.ListCarried(c.current.Session.Machine, progress.CrossMachineVars)
	if c.current.Author {
		c.current.Carried = conversation.ListAllCarried(progress.CrossMachineVars)
	}
	session := c.current.Session
	begins := len(session.Messages) <= 1 && !session.Resumed
	if !begins || len(c.current.Carried) == 0 || c.carriedTo == session.ID {
		return
	}
	c.carriedTo = session.ID
	c.log.AddNote("Carried over. "+strings.Join(c.current.Carried, "; "), views.ToneNews)
}
