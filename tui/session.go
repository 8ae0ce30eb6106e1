package tui

import (
	"cmp"
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
	c.overlay = nil
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

type editSavedMsg struct{ edit conversation.Edit }

// edits contains the latest saved versions of the persona file. All screens share one edits.
type edits struct {
	waiting     *conversation.Edit
	latest      *conversation.Edit
	note        string
	isRequested bool
}

func (e *env) awaitEdit() tea.Cmd {
	if e.opts.Edits == nil {
		return nil
	}
	return func() tea.Msg {
		select {
		case edit, more := <-e.opts.Edits:
			if more {
				return editSavedMsg{edit}
			}
		case <-e.ctx.Done():
		}
		return nil
	}
}

func (c *chat) compareEdit() tea.Cmd {
	edit := c.env.edits.waiting
	if edit == nil || !c.state.isResting() {
		return nil
	}
	c.env.edits.waiting = nil
	if edit.Trouble != "" {
		c.noteEdit(edit.TroubleWords(), views.ToneBad)
		return nil
	}
	c.env.edits.latest = edit
	return c.updateTo(edit, false)
}

func (c *chat) updateSession() tea.Cmd {
	if c.env.opts.Edits != nil && c.env.edits.latest == nil {
		c.trouble = conversation.ErrNotEdited.Error()
		return nil
	}
	return c.updateTo(c.env.edits.latest, true)
}

func (c *chat) updateTo(edit *conversation.Edit, sure bool) tea.Cmd {
	user, session := c.current.User, c.current.Session
	return c.ask("playing the chat in the new version", "the chat stays in the old version",
		func(ctx context.Context) (func() tea.Cmd, error) {
			update, err := c.env.requester.UpdateSession(ctx, user, session, edit, sure)
			return func() tea.Cmd { return c.showUpdate(update) }, err
		})
}

func (c *chat) showUpdate(update conversation.Update) tea.Cmd {
	if update.Session == nil {
		c.advance(eventAnswer)
		updateKey := cmp.Or(c.env.keys.ShownKey("update"), "/update")
		choice := updateKey + " continues in the new version from there, " +
			c.env.keys.ShownKey("cancel") + " stays in the old."
		c.noteEdit(update.Said+" "+choice, views.ToneNews)
		c.env.edits.isRequested = true
		return nil
	}
	*c.current.User = *update.User
	c.env.st.SetHue(c.current.User.Persona.Hue)
	cmd := c.showMovedBack(update.TakenBack, "")
	c.log.RemoveNote(goingOn)
	c.noteEdit(update.Said, views.ToneNews)
	return cmd
}

func (c *chat) noteEdit(words string, tone views.Tone) {
	c.log.RemoveNote(c.env.edits.note)
	c.env.edits.note, c.env.edits.isRequested = words, false
	c.log.AddNote(words, tone)
	c.log.ScrollToEnd()
}

func (c *chat) goToMachine(arg string) tea.Cmd {
	if arg == "" {
		return c.readMachines(func(list []conversation.ListedMachine, _ wire.Progress) { c.showMachines(list) })
	}
	listed, err := conversation.FindListed(c.current.Machines, arg)
	switch {
	case err != nil:
		c.trouble = err.Error()
	case c.state.isOut():
		c.trouble = c.refusal()
	default:
		return c.openMachine(listed.ID, c.env.requester.EnterMachine)
	}
	return nil
}

func (c *chat) showMachines(places []conversation.ListedMachine) {
	choices, current := make([]views.Choice, len(places)), 0
	for i, listed := range places {
		choices[i] = views.Choice{
			Title: listed.ShownTitle(c.current.Author), About: listed.About, Tag: listed.StatusWords(),
			Locked: listed.Status == conversation.MachineLocked,
		}
		if listed.ID == c.current.Session.Machine.ID {
			choices[i].Tag += ", here"
			current = i
		}
		if choices[i].Locked && listed.Hint != "" {
			choices[i].About = listed.Hint
		}
	}
	list := views.NewList(c.env.st, c.env.keys, choices, "search")
	list.MoveCursorTo(current)
	c.overlay = &views.ListOverlay{
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
	state := c.current.Session.Machine.FindState(c.current.Session.Standing.State)
	return &views.ListOverlay{
		Menu: views.NewList(c.env.st, c.env.keys, choices, "search"), Close: c.env.keys.Director,
		Title:  "Director: what your words do, " + state.Title,
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
		c.overlay = c.newDirector(list)
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
