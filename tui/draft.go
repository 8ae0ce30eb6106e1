package tui

import (
	"io"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/program"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// keepDraft stores the unsent text for the player's return.
func (d *dialogue) keepDraft() {
	if d.state.hasTurn() {
		d.draft.underWay = d.turn.Text
	}
	d.unqueueMessage()
	d.draft.text = strings.Trim(d.held.Text()+"\n"+d.input.Text(), "\n")
	d.current.NotePlace()
	d.draft.saved = d.current.User.Saved
}

// restoreDraft takes up what an earlier chat with the persona has left. A turn that was
// under way comes back unless it has counted.
func (d *dialogue) restoreDraft() {
	k := d.env.drafts[d.current.User.Persona.ID]
	if k == nil {
		k = &draft{history: views.History{Said: sentMessages(d.current.Session.Messages)}}
		d.env.drafts[d.current.User.Persona.ID] = k
	}
	if saved := &d.current.User.Saved; k.text == "" && k.underWay == "" {
		k.text, k.underWay = saved.Draft, saved.UnderWay
	}
	d.current.User.Saved.Draft, d.current.User.Saved.UnderWay = "", ""
	k.history.At = len(k.history.Said)
	d.draft, d.input.History = k, &k.history
	d.input.SetText(k.text)
	if k.underWay != "" && !d.isLastMessage(views.EscapeSlash(terminal.CleanLines(k.underWay))) {
		d.input.GiveBack(k.underWay)
	}
	k.text, k.underWay, k.saved = "", "", conversation.SavedSession{}
}

// sentMessages returns the player's messages in a session, as typed.
func sentMessages(messages []wire.HistoryMessage) []string {
	var said []string
	for _, m := range messages {
		if m.Role == wire.RoleUser {
			said = append(said, views.EscapeSlash(terminal.CleanLines(m.Content)))
		}
	}
	return said[max(len(said)-views.MaxHistory, 0):]
}

// writingFlow is how soon after a written key another one belongs to the same line: who writes
// one and presses Enter has not chosen anything.
const writingFlow = 1500 * time.Millisecond

// isWritingOn reports whether a line is being written, in the input or beside the choices of an
// ending.
func (d *dialogue) isWritingOn() bool { return d.env.opts.Now().Sub(d.writtenAt) < writingFlow }

// keepsWriting reports whether new input, beginning with text, is kept for the next session: while
// an ending is shown, keys choose there, and a command goes into the input.
func (c *chat) keepsWriting(text string) bool {
	begun := c.talk.isWritingOn() && c.talk.held.Text() != "" && !strings.HasSuffix(c.talk.held.Text(), "\n")
	return c.talk.isAtEnding() && (begun || !strings.HasPrefix(text, "/"))
}

// keepKey writes beside the choices, and reports whether it was the place for that.
func (c *chat) keepKey(msg tea.KeyMsg) bool {
	text := string(msg.Runes)
	if msg.Alt || !c.keepsWriting(text) {
		return false
	}
	if text != "" {
		return c.keepText(text, msg.Paste)
	}
	c.notice.trouble = c.talk.held.Update(msg)
	return true
}

// keepText appends text to the kept text, after the number of a choice that turned out to begin it:
// on the line that is being written, or on a new one.
func (c *chat) keepText(text string, pasted bool) bool {
	if !c.keepsWriting(text) {
		return false
	}
	if text = c.talk.begun + text; !c.talk.isWritingOn() && c.talk.held.Text() != "" {
		text = "\n" + text
	}
	c.talk.writtenAt, c.notice.news = c.env.opts.Now(), "this part is over: "+c.talk.ending.KeyWords()
	c.notice.trouble, c.talk.begun = c.talk.held.InsertText(text, pasted), ""
	return true
}

// holdText keeps the text in the input while an ending is shown, where keys choose; a command
// stays.
func (d *dialogue) holdText() {
	text := d.input.Text()
	if d.ending == nil || strings.TrimSpace(text) == "" || strings.HasPrefix(text, "/") {
		return
	}
	d.held.SetText(strings.TrimPrefix(d.held.Text()+"\n"+text, "\n"))
	d.input.SetText("")
}

// releaseHeld returns the kept text to the input when the player can write again.
func (d *dialogue) releaseHeld() {
	if text := strings.Trim(d.held.Text(), "\n"); d.ending == nil && text != "" {
		d.input.GiveBack(text)
		d.held.SetText("")
	}
}

// Editing is the player's own editor, which has the terminal for
// itself while Run runs.
type Editing interface {
	Run() error
	SetStdin(in io.Reader)
	SetStdout(out io.Writer)
	SetStderr(err io.Writer)
	// Text returns the written text, and removes the editor's file.
	Text() (string, error)
}

// editedMsg: the player is back from the editor.
type editedMsg struct {
	text string
	err  error
}

// EditMessage returns what is in the input to the editor.
func (c *chat) EditMessage(string) tea.Cmd {
	if c.env.opts.Edit == nil {
		c.notice.trouble = errNoEditor.Error()
		return nil
	}
	process, err := c.env.opts.Edit(c.input.Text())
	if err != nil {
		c.notice.trouble = "no editor: " + c.env.requester.ExplainError(err)
		return nil
	}
	return program.RunOutside(&guardedEditing{process, c.env.crash}, func(failed error) (msg tea.Msg) {
		defer c.env.crash.CatchPanic() // This runs in no command.
		text, err := process.Text()
		if failed != nil {
			err = failed
		}
		return editedMsg{text, err}
	})
}

// guardedEditing is the editor with a crash guard.
type guardedEditing struct {
	Editing
	crash *terminal.CrashGuard
}

// Run runs the editor.
func (g *guardedEditing) Run() error {
	defer g.crash.CatchPanic()
	return g.Editing.Run()
}

// fillFromEditor puts the text from the editor into the input, where Enter sends it. After a
// failure the input stays unchanged.
func (c *chat) fillFromEditor(msg editedMsg) {
	text := strings.TrimRight(strings.ReplaceAll(terminal.CleanLines(msg.text), "\r\n", "\n"), " \n")
	switch {
	case msg.err != nil:
		c.notice.trouble = "the editor: " + c.env.requester.ExplainError(msg.err)
		return
	case terminal.CountCharacters(text) > wire.MaxMessage:
		c.notice.trouble = tooLongWords(text)
	}
	c.input.SetText(text)
	c.talk.holdText()
	c.talk.checkRetryText()
}
