package tui

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/program"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

func awaitWords(s *conversation.ReplyStream, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if !s.WaitForWords() {
			return nil
		}
		return msg
	}
}

func (c *chat) showStreamed(msg wordsCameMsg) tea.Cmd {
	if !c.expects(msg.ticket) || c.request.stream == nil {
		return nil
	}
	if !c.showWaitingWords() {
		return awaitWords(c.request.stream, msg)
	}
	return c.env.after(frame, wordsCameMsg{msg.ticket})
}

func (c *chat) showWaitingWords() bool {
	words := c.request.stream.TakeWords()
	if words == "" {
		return false
	}
	c.advance(eventHear)
	c.request.words = c.current.User.Persona.CharacterName() + " is speaking"
	if c.log.Streaming == 0 {
		if c.request.opening != nil {
			c.log.AddEntry(chapterEntry(&conversation.Session{Machine: c.request.opening}))
		}
		c.log.BeginEntry(c.messageEntry(wire.RoleAssistant, ""))
	}
	c.log.AppendWords(words)
	return true
}

// frame is the minimum interval between updates of streamed text. Shorter intervals delay key
// presses.
const frame = 33 * time.Millisecond

func (c *chat) showReply(text string, reply *wire.Reply, meanwhile *conversation.Meanwhile, nearly string) tea.Cmd {
	before, session := c.current.Session.Standing, c.current.Session
	c.unseen = conversation.Turn{}
	c.current.Spent.AddTokens(reply.Tokens)
	session.AddTurn(text, reply)
	session.Nearly = nearly
	c.advance(eventAnswer)
	c.log.CompleteEntry(c.messageEntry(wire.RoleAssistant, reply.Message))
	if meanwhile != nil {
		c.showMeanwhile(meanwhile)
		if len(meanwhile.Earlier) > 0 {
			before = meanwhile.Before
		}
	}
	return c.showChanges(before, reply.Unlocked)
}

func (c *chat) showChanges(before conversation.Standing, unlocked []string) tea.Cmd {
	m, at := c.current.Session.Machine, c.current.Session.Standing
	if line, tone := changeNote(m, before, at); line != "" {
		c.log.AddNote(line, tone)
	}
	kept := c.collectEnding(before, unlocked)
	var why tea.Cmd // must be asked before another machine opens
	if c.env.opts.Debug {
		why = c.askWhy(false)
	}
	c.keepPlace()
	return tea.Batch(c.continueAfter(unlocked), why, kept)
}

func changeNote(m *conversation.Machine, before, after conversation.Standing) (string, views.Tone) {
	tone := views.ToneChange
	switch left := m.CountTries(after); {
	case !m.UsedTry(before, after):
	case left == 1:
		tone = views.ToneLast
	case left == 2:
		tone = views.ToneWarn
	}
	return m.ChangeLine(before, after), tone
}

func (c *chat) collectEnding(before conversation.Standing, unlocked []string) tea.Cmd {
	if !c.current.Session.Standing.IsFinished() {
		return nil
	}
	conversation.AddEnding(c.current.Machines, c.current.Session, unlocked)
	news := c.current.User.Persona.TellEnding(c.current.Session, before, unlocked)
	if found := c.current.User.CollectEnding(c.current.Session); found != "" {
		news.Told = append(news.Told, found)
	}
	if hint := c.current.Session.TakeBackHint(); hint != "" {
		news.Told = append(news.Told, hint)
	}
	c.log.AddEntry(endingEntry(news))
	return c.keepEndings()
}

func (c *chat) continueAfter(unlocked []string) tea.Cmd {
	switch next := c.queued; {
	case c.state == stateEnded:
		// The card lists the next part. The player must choose it.
		c.unqueueMessage()
		c.ending = views.NewCard(c.env.st, c.env.keys, c.current, unlocked)
		return c.readMachines(nil)
	case next != "":
		c.queued = ""
		return c.sendTurn(c.env.requester.NewTurn(next))
	}
	return nil
}

func (c *chat) keepDraft() {
	saved := &c.current.User.Saved
	if c.state.hasTurn() {
		saved.UnderWay = c.turn.Text
	}
	c.unqueueMessage()
	saved.Draft = c.input.Text()
	c.keepPlace()
}

// restoreDraft restores the unsent text of the last chat. An interrupted turn is restored too,
// unless the service stored it.
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
