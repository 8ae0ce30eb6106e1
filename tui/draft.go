package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/program"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// keepDraft stores the unsent text and the text of a turn that is being sent, for the next chat.
func (c *chat) keepDraft() {
	saved := &c.current.User.Saved
	if c.state.hasTurn() {
		saved.UnderWay = c.turn.Text
	}
	c.unqueueMessage()
	saved.Draft = c.input.Text()
	c.keepPlace()
}

// restoreDraft puts the unsent text of the last chat in the session into the input. If a turn was
// being sent when that chat ended, it also restores the text of the turn, unless the service has
// counted the turn.
func (c *chat) restoreDraft() {
	saved := &c.current.User.Saved
	draft, underWay := saved.Draft, saved.UnderWay
	saved.Draft, saved.UnderWay = "", ""
	said := sentMessages(c.current.Session.Messages)
	c.input.History = &views.History{Said: said, At: len(said)}
	c.input.SetText(draft)
	if underWay != "" && !c.isLastMessage(views.EscapeSlash(terminal.CleanLines(underWay))) {
		c.input.GiveBack(underWay)
	}
}

func sentMessages(messages []wire.HistoryMessage) []string {
	var said []string
	for _, m := range messages {
		if m.Role == wire.RoleUser {
			said = append(said, views.EscapeSlash(terminal.CleanLines(m.Content)))
		}
	}
	return said[max(len(said)-views.MaxHistory, 0):]
}

type editedMsg struct {
	text string
	err  error
}

func (c *chat) editMessage() tea.Cmd {
	if c.env.opts.Edit == nil {
		c.trouble = errNoEditor.Error()
		return nil
	}
	before, edited := c.input.Text(), ""
	edit := func() (err error) {
		edited, err = c.env.opts.Edit(before)
		return err
	}
	return program.RunOutside(edit, func(err error) tea.Msg { return editedMsg{edited, err} })
}

func (c *chat) fillFromEditor(msg editedMsg) {
	text := strings.TrimRight(strings.ReplaceAll(terminal.CleanLines(msg.text), "\r\n", "\n"), " \n")
	switch {
	case msg.err != nil:
		c.trouble = "editor failed: " + c.env.requester.ExplainError(msg.err)
		return
	case terminal.CountCharacters(text) > wire.MaxMessage:
		c.trouble = tooLongWords(text)
	}
	c.input.SetText(text)
	c.checkRetryText()
}
