package tui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/program"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// chat is the screen of a conversation. At most one request runs at a time.
type chat struct {
	env         *env
	current     *conversation.Current
	log         *views.Transcript
	input       *views.Input
	side        *views.Panel
	overlay     overlay // nil if closed
	completions *completions
	trouble     string
	news        string
	reading     bool // keys scroll the transcript (vim preset)
	narrow      bool

	width, height int

	state   state
	request *request    // nil unless state.isOut
	turn    pendingTurn // valid if state.hasTurn
	queued  string
	calls   int
	// unseen is the last turn if its reply was lost. The service may have stored the turn.
	unseen    conversation.Turn
	notBefore time.Time

	ending *views.Card // nil unless the machine has ended
	// writtenAt is the time of the last key in the input, or zero after a send.
	writtenAt time.Time

	editing    bool
	resetAsked bool
	carriedTo  string
	showsStory bool
}

func newChat(e *env, user *conversation.UserSession, session *conversation.Session) *chat {
	c := newEmptyChat(e, user)
	c.current.Author = e.opts.Author
	e.st.SetHue(user.Persona.Hue)
	c.showSession(session)
	c.restoreDraft()
	return c
}

func newEmptyChat(e *env, user *conversation.UserSession) *chat {
	current := &conversation.Current{User: user}
	return &chat{
		env: e, current: current, log: views.NewTranscript(e.st),
		input: views.NewInput(e.st, e.keys),
		side:  &views.Panel{Current: current, St: e.st, Beside: true}, completions: &completions{},
		state: stateOpening, request: &request{cancel: func() {}},
	}
}

func (c *chat) Update(msg tea.Msg) tea.Cmd {
	defer c.layOut()
	return tea.Batch(c.handleMessage(msg), c.compareEdit())
}

func (c *chat) handleMessage(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return c.handleKey(msg)
	case wordsCameMsg:
		return c.showStreamed(msg)
	case answerMsg:
		if c.expects(msg.ticket) {
			return msg.show()
		}
	case screenMsg:
		return msg.show()
	case failedMsg:
		return c.handleFailure(msg)
	case retryTickMsg:
		return c.tickRetry(msg)
	case waitTickMsg:
		if c.expects(msg.ticket) {
			return c.scheduleTick(msg.ticket)
		}
	case editedMsg:
		c.fillFromEditor(msg)
	}
	return nil
}

func (c *chat) handleKey(msg tea.KeyMsg) tea.Cmd {
	c.news = ""
	if c.reading {
		c.news = readingWords
	}
	switch {
	case c.overlay != nil:
		return c.updateOverlay(msg)
	case c.log.Chosen > 0 && key.Matches(msg, c.env.keys.Cancel):
		c.log.ChooseEntry(-1)
		return nil
	case c.editing && key.Matches(msg, c.env.keys.Cancel):
		c.editing, c.input.History.At = false, len(c.input.History.Said)
		c.input.SetText("")
		return nil
	case c.beginsReading() && key.Matches(msg, c.env.keys.Cancel) && !c.completions.isOpen():
		c.reading, c.news = true, readingWords
		return nil
	}
	if cmd, handled := c.handleReadingKey(msg); handled {
		return cmd
	}
	switch {
	case c.completions.TakesKey(msg, c.env.keys):
		return c.handleCompletionKey(msg)
	case key.Matches(msg, c.env.keys.PageUp):
		c.log.ScrollPage(-1)
	case key.Matches(msg, c.env.keys.PageDown):
		c.log.ScrollPage(1)
	case key.Matches(msg, c.env.keys.Top):
		c.log.ScrollToTop()
	case key.Matches(msg, c.env.keys.Bottom):
		c.log.ScrollToEnd()
	case key.Matches(msg, c.env.keys.Cancel):
		if !c.state.isOut() && c.env.edits.isRequested {
			c.noteEdit("The chat stays in the old version; /update continues in the new one.", views.ToneNews)
			return nil
		}
		return c.cancelWaiting()
	case key.Matches(msg, c.env.keys.Send) && !c.isAtEnding():
		return c.sendInput()
	default:
		if c.isAtEnding() {
			if cmd, handled := c.handleEndingKey(msg); handled {
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
	wasEmpty := c.input.Text() == ""
	c.trouble, c.writtenAt = c.input.Update(msg), c.env.opts.Now()
	if c.isAtEnding() && c.hasInput() {
		c.news = c.endingNews()
	}
	c.checkEditing(wasEmpty && key.Matches(msg, c.env.keys.Up))
	c.checkRetryText()
	return nil
}

// takePaste inserts a paste without sending the message.
func (c *chat) takePaste(msg program.PastedMsg) tea.Cmd {
	c.news, c.trouble, c.reading = "", "", false
	refused := msg.Text == "" || c.input.InsertText(msg.Text, true) != ""
	c.checkRetryText()
	switch {
	case refused:
		c.trouble = views.TooMuchPasted(msg.Characters)
	case c.trouble == "":
		lines := 1 + strings.Count(msg.Text, "\n")
		c.news = fmt.Sprintf("%s lines pasted: Enter sends them", terminal.GroupThousands(lines))
	}
	return nil
}

func (c *chat) sayKeeping() {
	persona := c.current.User.Persona.ID
	words := c.env.opts.KeepingWords()
	begins := c.current.Session.Resumed || c.log.HasOpening()
	if words == "" || c.env.keepingSaid[persona] || !begins {
		return
	}
	notes := []views.Entry{views.NewNote(words, views.ToneNews)}
	if words := c.env.opts.ModelWords(); words != "" && len(c.env.keepingSaid) == 0 {
		notes = append(notes, views.NewNote(words, views.ToneNews))
	}
	c.env.keepingSaid[persona] = true
	index := 1
	if c.current.Session.Resumed {
		index = len(c.log.Entries)
	}
	c.log.InsertEntries(index, notes)
}

// typist is a screen with both text input and single-letter commands.
type typist interface{ IsTyping() bool }

func (r *root) isTyping() bool {
	if r.help != nil {
		return false
	}
	t, ok := r.child.(typist)
	return !ok || t.IsTyping()
}

func (c *chat) IsTyping() bool {
	if c.overlay == nil {
		return !c.reading
	}
	t, ok := c.overlay.(typist)
	return ok && t.IsTyping()
}

func (p *personaPicker) IsTyping() bool { return p.menu != nil && p.menu.IsTyping() }

func (s *sessionList) IsTyping() bool { return s.naming != nil || s.list.Menu.IsTyping() }

func (c *chat) beginsReading() bool {
	return c.env.keys.Vim && !c.reading && c.state.isResting() && !c.env.edits.isRequested
}

const readingWords = "reading: j k g G move, / searches, y copies, i writes"

func (c *chat) handleReadingKey(msg tea.KeyMsg) (cmd tea.Cmd, handled bool) {
	if !c.reading {
		return nil, false
	}
	letter := ""
	if msg.Type == tea.KeyRunes && !msg.Alt && !msg.Paste {
		letter = string(msg.Runes)
	}
	atEnding := c.isAtEnding() && c.ending.TakesKey(msg)
	switch {
	case atEnding:
		return nil, false
	case key.Matches(msg, c.env.keys.Up):
		c.log.ScrollBy(-1)
	case key.Matches(msg, c.env.keys.Down):
		c.log.ScrollBy(1)
	case letter == "i", letter == "a", key.Matches(msg, c.env.keys.Send), msg.Paste:
		c.endReading()
		return nil, !msg.Paste
	case letter == "/":
		return c.searchMessages(""), true
	case letter == "y":
		return c.copyChosen(), true
	case letter == ":":
		c.endReading()
		c.input.SetText("/")
	case letter == "" && msg.Type != tea.KeySpace:
		return nil, false
	}
	return nil, true
}

func (c *chat) endReading() { c.reading, c.news = false, "" }

type overlay interface {
	// done closes the overlay.
	Update(msg tea.Msg) (cmd tea.Cmd, done bool)
	Resize(width, height int)
	DrawLines() []string
}

func (c *chat) updateOverlay(msg tea.Msg) tea.Cmd {
	if c.overlay == nil {
		return nil
	}
	previous := c.overlay
	cmd, done := previous.Update(msg)
	if done && c.overlay == previous {
		c.overlay = nil
	}
	return cmd
}
