package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
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

// frame is the minimum interval between updates of a streamed text. More frequent updates would
// delay the handling of keys.
const frame = 33 * time.Millisecond

func (c *chat) showReply(text string, reply *wire.Reply, meanwhile *conversation.Meanwhile, nearly string) tea.Cmd {
	before, sc := c.current.Session.Standing, c.current.Session
	c.unseen = conversation.Turn{}
	c.current.Spent.AddTokens(reply.Tokens)
	sc.AddTurn(text, reply)
	sc.Nearly = nearly
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
		// The next part does not begin automatically. The card lists the persona's next part first.
		c.unqueueMessage()
		c.ending = views.NewCard(c.env.st, c.env.keys, c.current, unlocked)
		return c.readMachines(nil)
	case next != "":
		c.queued = ""
		return c.sendTurn(c.env.requester.NewTurn(next))
	}
	return nil
}
