package tui

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/program"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// chat is the screen of a conversation: transcript, input, side panel, and the card with next steps
// after an ending. It passes keys and messages to these components.
type chat struct {
	env         *env
	talk        *dialogue
	current     *conversation.Current
	notice      *notices
	log         *views.Transcript
	input       *views.Input
	over        overlay // shown instead of the conversation; nil if closed
	copier      *messageCopier
	completer   *completer
	completions *completions // the list of completions of a line with a slash
	side        *views.Panel
	reading     bool // the keys of the preset vim scroll the transcript
	narrow      bool // the window is too narrow for the side panel

	width, height int
}

func newChat(e *env, user *conversation.UserSession, session *conversation.Session) *chat {
	d := newDialogue(e, user)
	d.current.Author = e.opts.Author
	e.st.SetHue(user.Persona.Hue)
	d.showSession(session)
	d.restoreDraft()
	d.holdText()
	return newScreen(e, d)
}

func newScreen(e *env, d *dialogue) *chat {
	return &chat{
		env: e, talk: d, current: d.current, notice: d.notice, log: d.log, input: d.input,
		copier:      &messageCopier{e, d.notice, d.log},
		completer:   &completer{env: e, current: d.current, log: d.log},
		completions: &completions{},
		side:        &views.Panel{Current: d.current, St: e.st, Beside: true},
	}
}

func (c *chat) drawInLines(height int) []string {
	head := c.headLines()
	room := max(height-len(head), 1)
	c.log.Resize(c.columnWidth(), room)
	return append(head, c.placePanel(c.log.DrawLines(), room)...)
}

// Update handles a message and then lays out the screen again.
func (c *chat) Update(msg tea.Msg) tea.Cmd {
	defer c.layOut()
	return tea.Batch(c.handleMessage(msg), c.compareEdit())
}

func (c *chat) handleMessage(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return c.handleKey(msg)
	case wordsCameMsg:
		return c.talk.showStreamed(msg)
	case replyArrivedMsg:
		return c.talk.showReply(msg)
	case failedMsg:
		return c.talk.handleFailure(msg)
	case unseenReadMsg:
		return c.talk.handleUnseen(msg)
	case stepPickedMsg:
		return c.takePicked(msg)
	case retryTickMsg:
		return c.talk.tickRetry(msg)
	case sessionOpenedMsg:
		return c.talk.switchSession(msg)
	case movedBackMsg:
		return c.talk.showMovedBack(msg)
	case updatedMsg:
		return c.showUpdate(msg)
	case branchesReadMsg:
		c.talk.showBranches(msg)
	case machinesReadMsg:
		return c.updateMachines(msg)
	case storyReadMsg:
		return c.talk.handleStory(msg)
	case notKeptMsg:
		if msg.sessionID == c.current.Session.ID {
			c.notice.trouble = msg.what + ": " + c.env.requester.ExplainError(msg.err)
		}
	case machinesFailedMsg:
		if msg.asked && msg.sessionID == c.current.Session.ID {
			c.notice.trouble = "the parts could not be read: " + c.env.requester.ExplainError(msg.err)
		}
		if !c.talk.story.isRead {
			return c.talk.handleNoStory(msg.err)
		}
	case waitTickMsg:
		if c.talk.expects(msg.ticket) {
			return c.talk.scheduleTick(msg.ticket)
		}
	case sessionsReadMsg:
		return c.showSessions(msg)
	case sessionsKnownMsg:
		c.completer.known = msg.known
	case copiedMsg:
		c.copier.reportCopied(msg)
	case editedMsg:
		c.fillFromEditor(msg)
	case savedMsg:
		c.reportSaved(msg)
	case turnsExplainedMsg:
		c.showExplained(msg)
	case directionAskedMsg:
		return c.handleDirection(msg)
	}
	return nil
}

func (c *chat) handleKey(msg tea.KeyMsg) tea.Cmd {
	if c.notice.news = ""; c.reading {
		c.notice.news = readingWords
	}
	switch {
	case c.over != nil:
		return c.updateOverlay(msg)
	case c.log.Chosen > 0 && key.Matches(msg, c.env.keys.Cancel):
		c.log.ChooseEntry(-1)
		return nil
	case c.talk.editing && key.Matches(msg, c.env.keys.Cancel):
		c.talk.editing, c.input.History.At = false, len(c.input.History.Said)
		c.input.SetText("")
		return nil
	case c.beginsReading() && key.Matches(msg, c.env.keys.Cancel) && !c.completions.isOpen():
		c.reading, c.notice.news = true, readingWords
		return nil
	}
	if cmd, took := c.readKey(msg); took {
		return cmd
	}
	switch {
	case c.completions.TakesKey(msg, c.env.keys):
		return c.completionKey(msg)
	case key.Matches(msg, c.env.keys.PageUp):
		c.log.ScrollPage(-1)
	case key.Matches(msg, c.env.keys.PageDown):
		c.log.ScrollPage(1)
	case key.Matches(msg, c.env.keys.Top):
		c.log.ScrollToTop()
	case key.Matches(msg, c.env.keys.Bottom):
		c.log.ScrollToEnd()
	case key.Matches(msg, c.env.keys.Cancel):
		if !c.talk.state.isOut() && c.env.edits.asked {
			c.noteEdit("The chat stays in the old version; /update continues in the new one.", views.ToneNews)
			return nil
		}
		return c.talk.cancelWaiting()
	case key.Matches(msg, c.env.keys.Send) && !c.talk.isAtEnding():
		return c.sendInput()
	default:
		if c.talk.isAtEnding() {
			if cmd, took := c.handleEndingKey(msg); took {
				return cmd
			}
		}
		if cmd, ok := c.runShortcut(msg); ok {
			return cmd
		}
		return c.typeKey(msg)
	}
	return nil
}

func (c *chat) typeKey(msg tea.KeyMsg) tea.Cmd {
	if c.keepKey(msg) {
		return nil
	}
	wasEmpty := c.input.Text() == ""
	c.notice.trouble, c.talk.writtenAt = c.input.Update(msg), c.env.opts.Now()
	c.talk.checkEditing(wasEmpty && key.Matches(msg, c.env.keys.Up))
	c.talk.checkRetryText()
	return nil
}

// handles a paste that arrived as single keys. Several lines wait for Enter, and text longer than a
// message is dropped.
func (c *chat) takePaste(msg program.PastedMsg) tea.Cmd {
	c.notice.news, c.notice.trouble, c.reading = "", "", false
	if c.keepText(msg.Text, true) {
		return nil
	}
	if msg.Text == "" || c.input.InsertText(msg.Text, true) != "" {
		c.input.TakeBack(msg.Leading)
		c.talk.checkRetryText()
		c.notice.trouble = views.TooMuchPasted(msg.Characters)
		return nil
	}
	c.talk.checkRetryText()
	switch {
	case msg.Enter:
		return c.sendInput()
	case msg.Lines > 1 && c.notice.trouble == "":
		c.notice.news = fmt.Sprintf("%s lines pasted: Enter sends them", terminal.GroupThousands(msg.Lines))
	}
	return nil
}

// sayKeeping adds a note about what the chat stores, once for each persona. The first note is
// followed by a note about the model that plays.
func (c *chat) sayKeeping() {
	persona := c.current.User.Persona.ID
	words := c.env.opts.KeepingWords(persona)
	if words == "" || c.env.keepingSaid[persona] || !c.current.Session.Resumed && !c.log.HasOpening() {
		return
	}
	notes := []views.Entry{views.NewNote(words, views.ToneNews)}
	if words := c.env.opts.ModelWords(); words != "" && len(c.env.keepingSaid) == 0 {
		notes = append(notes, views.NewNote(words, views.ToneNews))
	}
	c.env.keepingSaid[persona] = true
	at := 1
	if c.current.Session.Resumed {
		at = len(c.log.Entries)
	}
	c.log.InsertEntries(at, notes)
}

// A typist is a screen that reports whether typed letters are text, not keys of commands.
type typist interface{ IsTyping() bool }

// isTyping reports whether typed letters are text. A screen that is not a typist takes all letters
// as text.
func (r *root) isTyping() bool {
	if r.help != nil {
		return false
	}
	t, ok := r.child.(typist)
	return !ok || t.IsTyping()
}

// IsTyping reports whether letters go into the input or a field of the overlay.
func (c *chat) IsTyping() bool {
	if c.over == nil {
		return !c.reading
	}
	t, ok := c.over.(typist)
	return ok && t.IsTyping()
}

// IsTyping reports whether letters narrow the list.
func (p *personaPicker) IsTyping() bool { return p.menu != nil && p.menu.IsTyping() }

// IsTyping reports whether letters narrow the list or are part of a session's name.
func (s *sessionList) IsTyping() bool { return s.naming != nil || s.list.Menu.IsTyping() }

func (c *chat) beginsReading() bool {
	return c.env.keys.Vim && !c.reading && c.talk.state.isResting() && !c.env.edits.asked
}

const readingWords = "reading: j k g G move, / searches, y copies, i writes"

func (c *chat) readKey(msg tea.KeyMsg) (cmd tea.Cmd, took bool) {
	if !c.reading {
		return nil, false
	}
	letter := ""
	if msg.Type == tea.KeyRunes && !msg.Alt && !msg.Paste {
		letter = string(msg.Runes)
	}
	atEnding := c.talk.isAtEnding() && c.talk.ending.TakesKey(msg)
	switch {
	case atEnding: // The ending card handles these keys.
		return nil, false
	case key.Matches(msg, c.env.keys.Up):
		c.log.ScrollBy(-1)
	case key.Matches(msg, c.env.keys.Down):
		c.log.ScrollBy(1)
	case letter == "i", letter == "a", key.Matches(msg, c.env.keys.Send), msg.Paste:
		c.endReading()
		return nil, !msg.Paste
	case letter == "/":
		return c.SearchMessages(""), true
	case letter == "y":
		return c.copier.copyChosen(), true
	case letter == ":":
		c.endReading()
		c.input.SetText("/")
	case letter == "" && msg.Type != tea.KeySpace:
		return nil, false
	}
	return nil, true
}

func (c *chat) endReading() { c.reading, c.notice.news = false, "" }

// noticeInput sees all input before the screen child does. Input that follows soon after a number
// cancels the choice of a next step, and text then begins with that number.
func noticeInput(child screen, msg tea.Msg) {
	c, talking := child.(*chat)
	if !talking || c.talk.ending == nil {
		return
	}
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if c.talk.inputs++; key.Matches(msg, c.env.keys.Send) {
			c.talk.ending.KeepPick()
		}
		c.talk.begun = c.talk.ending.DropPick()
	case tea.MouseMsg, program.WheelTurnedMsg, program.PastedMsg:
		c.talk.inputs++
		c.talk.ending.DropPick()
	}
}

// overlay is a list or view that is shown instead of the conversation until it is closed.
type overlay interface {
	// Update handles a message. done closes the overlay.
	Update(msg tea.Msg) (cmd tea.Cmd, done bool)
	Resize(width, height int)
	DrawLines() []string
}

func (c *chat) openOverlay(o overlay) { c.over = o }

func (c *chat) updateOverlay(msg tea.Msg) tea.Cmd {
	if c.over == nil {
		return nil
	}
	was := c.over
	cmd, done := was.Update(msg)
	if done && c.over == was {
		c.over = nil
	}
	return cmd
}
