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

func (d *dialogue) keepDraft() {
	if d.state.hasTurn() {
		d.draft.underWay = d.turn.Text
	}
	d.unqueueMessage()
	d.draft.text = strings.Trim(d.held.Text()+"\n"+d.input.Text(), "\n")
	d.current.NotePlace()
	d.draft.saved = d.current.User.Saved
}

// restoreDraft restores the unsent text of an earlier chat with the persona. The text of a turn
// that was being sent is restored unless that turn has counted.
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

func sentMessages(messages []wire.HistoryMessage) []string {
	var said []string
	for _, m := range messages {
		if m.Role == wire.RoleUser {
			said = append(said, views.EscapeSlash(terminal.CleanLines(m.Content)))
		}
	}
	return said[max(len(said)-views.MaxHistory, 0):]
}

// writingFlow is the maximum pause between keys of the same line after an ending. A later Enter
// chooses a next step instead of ending the line.
const writingFlow = 1500 * time.Millisecond

func (d *dialogue) isWritingOn() bool { return d.env.opts.Now().Sub(d.writtenAt) < writingFlow }

// keepsWriting reports whether input that begins with text is held for the next session. While an
// ending is shown, everything except commands is held.
func (c *chat) keepsWriting(text string) bool {
	begun := c.talk.isWritingOn() && c.talk.held.Text() != "" && !strings.HasSuffix(c.talk.held.Text(), "\n")
	return c.talk.isAtEnding() && (begun || !strings.HasPrefix(text, "/"))
}

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

// keepText appends text to the held text, on a new line if the player has paused. It returns false
// if keepsWriting does.
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

func (d *dialogue) holdText() {
	text := d.input.Text()
	if d.ending == nil || strings.TrimSpace(text) == "" || strings.HasPrefix(text, "/") {
		return
	}
	d.held.SetText(strings.TrimPrefix(d.held.Text()+"\n"+text, "\n"))
	d.input.SetText("")
}

func (d *dialogue) releaseHeld() {
	if text := strings.Trim(d.held.Text(), "\n"); d.ending == nil && text != "" {
		d.input.GiveBack(text)
		d.held.SetText("")
	}
}

// Editing is a run of the player's own editor. During Run only the editor uses the terminal.
type Editing interface {
	Run() error
	SetStdin(in io.Reader)
	SetStdout(out io.Writer)
	SetStderr(err io.Writer)
	// Text returns the edited text and deletes the editor's file.
	Text() (string, error)
}

type editedMsg struct {
	text string
	err  error
}

// EditMessage opens the text of the input in the player's editor.
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
		defer c.env.crash.CatchPanic() // bubbletea does not run this in a command, which would be guarded.
		text, err := process.Text()
		if failed != nil {
			err = failed
		}
		return editedMsg{text, err}
	})
}

// guardedEditing is an Editing that passes a panic of Run to crash.
type guardedEditing struct {
	Editing
	crash *terminal.CrashGuard
}

// Run runs the editor.
func (g *guardedEditing) Run() error {
	defer g.crash.CatchPanic()
	return g.Editing.Run()
}

func (c *chat) fillFromEditor(msg editedMsg) {
	text := strings.TrimRight(strings.ReplaceAll(terminal.CleanLines(msg.text), "\r\n", "\n"), " \n")
	switch {
	case msg.err != nil:
		c.notice.trouble = "editor failed: " + c.env.requester.ExplainError(msg.err)
		return
	case terminal.CountCharacters(text) > wire.MaxMessage:
		c.notice.trouble = tooLongWords(text)
	}
	c.input.SetText(text)
	c.talk.holdText()
	c.talk.checkRetryText()
}
