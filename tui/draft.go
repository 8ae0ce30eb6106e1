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

// Editing is one use of the player's own editor. Run runs the editor, which uses the terminal alone
// until Run returns.
type Editing interface {
	Run() error
	// Text returns the edited text and deletes the editor's file.
	Text() (string, error)
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
	process, err := c.env.opts.Edit(c.input.Text())
	if err != nil {
		c.trouble = "no editor: " + c.env.requester.ExplainError(err)
		return nil
	}
	return program.RunOutside(process.Run, func(failed error) (msg tea.Msg) {
		defer c.env.crash.CatchPanic() // bubbletea does not run this in a command, which would be guarded.
		text, err := process.Text()
		if failed != nil {
			err = failed
		}
		return editedMsg{text, err}
	})
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
