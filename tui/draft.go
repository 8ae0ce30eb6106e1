package tui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/program"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

func (c *chat) keepDraft() {
	if c.state.hasTurn() {
		c.draft.underWay = c.turn.Text
	}
	c.unqueueMessage()
	c.draft.text = c.input.Text()
	c.current.NotePlace()
	c.draft.saved = c.current.User.Saved
}

// restoreDraft puts the unsent text of an earlier chat with the persona into the input. If a turn
// was being sent when that chat ended, it also restores the text of the turn, unless the service
// has counted the turn.
func (c *chat) restoreDraft() {
	k := c.env.drafts[c.current.User.Persona.ID]
	if k == nil {
		k = &draft{history: views.History{Said: sentMessages(c.current.Session.Messages)}}
		c.env.drafts[c.current.User.Persona.ID] = k
	}
	if saved := &c.current.User.Saved; k.text == "" && k.underWay == "" {
		k.text, k.underWay = saved.Draft, saved.UnderWay
	}
	c.current.User.Saved.Draft, c.current.User.Saved.UnderWay = "", ""
	k.history.At = len(k.history.Said)
	c.draft, c.input.History = k, &k.history
	c.input.SetText(k.text)
	if k.underWay != "" && !c.isLastMessage(views.EscapeSlash(terminal.CleanLines(k.underWay))) {
		c.input.GiveBack(k.underWay)
	}
	k.text, k.underWay, k.saved = "", "", conversation.SavedSession{}
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
