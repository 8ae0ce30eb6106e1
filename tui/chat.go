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

// chat is the screen of a conversation: transcript, input, side panel, and the card with next steps
// after an ending. It sends the player's messages and other requests, one at a time, and shows the
// results. Only the method advance changes the field state.
type chat struct {
	env         *env
	current     *conversation.Current
	log         *views.Transcript
	input       *views.Input
	side        *views.Panel
	over        overlay      // shown instead of the conversation; nil if closed
	completions *completions // the list of completions of a line with a slash
	trouble     string       // the last failure, shown above the input
	news        string       // the last confirmation, shown there until the next key
	reading     bool         // the keys of the preset vim scroll the transcript
	narrow      bool         // the window is too narrow for the side panel

	width, height int

	state   state
	request *request    // not nil in the states with a request (state.isOut)
	turn    pendingTurn // the turn that was sent or waits, in the states with a turn (state.hasTurn)
	queued  string      // a message to be sent after the reply to turn, or ""
	calls   int         // the number of the last request or countdown
	// unseen is the last turn if its reply was lost. The service may have counted that turn. If no
	// reply was lost, unseen.Text is "".
	unseen conversation.Turn
	// notBefore is when the rate limit allows the next turn.
	notBefore time.Time

	ending *views.Card // not nil if the machine has ended and another one is not being opened
	// writtenAt is the time of the player's last key in the input. It is zero after the input was
	// sent.
	writtenAt time.Time

	editing    bool
	resetAsked bool // /reset was said once
	// carriedTo is the id of the last session for which the carried variables were shown.
	carriedTo  string
	showsStory bool // the transcript contains the earlier parts of the story
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
	if c.news = ""; c.reading {
		c.news = readingWords
	}
	switch {
	case c.over != nil:
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
		if !c.state.isOut() && c.env.edits.asked {
			c.noteEdit("The chat stays in the old version; /update continues in the new one.", views.ToneNews)
			return nil
		}
		return c.cancelWaiting()
	case key.Matches(msg, c.env.keys.Send) && !c.isAtEnding():
		return c.sendInput()
	default:
		if c.isAtEnding() {
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
	wasEmpty := c.input.Text() == ""
	c.trouble, c.writtenAt = c.input.Update(msg), c.env.opts.Now()
	if c.isAtEnding() && c.hasInput() {
		c.news = c.endingNews()
	}
	c.checkEditing(wasEmpty && key.Matches(msg, c.env.keys.Up))
	c.checkRetryText()
	return nil
}

// takePaste inserts several lines that arrived as single keys. They wait for Enter. It drops text
// that is too long for a message.
func (c *chat) takePaste(msg program.PastedMsg) tea.Cmd {
	c.news, c.trouble, c.reading = "", "", false
	refused := msg.Text == "" || c.input.InsertText(msg.Text, true) != ""
	c.checkRetryText()
	switch {
	case refused:
		c.trouble = views.TooMuchPasted(msg.Characters)
	case c.trouble == "":
		c.news = fmt.Sprintf("%s lines pasted: Enter sends them", terminal.GroupThousands(1+strings.Count(msg.Text, "\n")))
	}
	return nil
}

// sayKeeping adds a note about what the chat stores, once for each persona. After the first such
// note it adds another one that names the built-in model, if that model plays.
func (c *chat) sayKeeping() {
	persona := c.current.User.Persona.ID
	words := c.env.opts.KeepingWords()
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

// A typist is a screen that uses typed letters sometimes as text and sometimes as keys of commands.
// IsTyping reports whether it uses them as text now.
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
	return c.env.keys.Vim && !c.reading && c.state.isResting() && !c.env.edits.asked
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
	atEnding := c.isAtEnding() && c.ending.TakesKey(msg)
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
	// Update handles a message. done closes the overlay.
	Update(msg tea.Msg) (cmd tea.Cmd, done bool)
	Resize(width, height int)
	DrawLines() []string
}

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
