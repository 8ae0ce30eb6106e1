package tui

import (
	"cmp"
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/views"
)

type editSavedMsg struct{ edit conversation.Edit }

// edits contains the latest saved versions of the persona file. All screens share one edits.
type edits struct {
	waiting *conversation.Edit
	latest  *conversation.Edit
	note    string
	asked   bool
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
		c.env.edits.asked = true
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
	c.env.edits.note, c.env.edits.asked = words, false
	c.log.AddNote(words, tone)
	c.log.ScrollToEnd()
}
