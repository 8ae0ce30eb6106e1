package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

func (c *chat) sendText(text string) tea.Cmd {
	say := eventSay
	if c.env.opts.Now().Before(c.notBefore) {
		say = eventHold
	}
	switch do := c.advance(say); {
	case do.has(queueTurn) && c.queued != "":
		// The player should see the reply before writing more.
		c.trouble = "one message is already waiting (Esc takes it back)"
	case do.has(queueTurn):
		c.queued, c.trouble = text, ""
		c.input.TakeText()
		c.checkRetryText()
	case do.has(startCountdown):
		t := c.makeTurn(text)
		c.input.TakeText()
		return c.beginCountdown(pendingTurn{Turn: t, until: c.notBefore, why: conversation.RateLimited})
	case do.has(sendTurn):
		t := c.makeTurn(text)
		c.input.TakeText()
		return c.transmit(pendingTurn{Turn: t})
	}
	return nil
}

func (c *chat) sendTurn(t conversation.Turn) tea.Cmd {
	if !c.advance(eventSay).has(sendTurn) {
		c.input.GiveBack(t.Text)
		return nil
	}
	return c.transmit(pendingTurn{Turn: t})
}

func (c *chat) waitingLines(width int) []string {
	var lines []string
	if c.state == stateCountdown {
		lines = append(lines, waitingLine(c.env.st, "   waits: ", c.turn.Text, c.queued == "", width))
	}
	if c.queued != "" {
		lines = append(lines, waitingLine(c.env.st, "   then: ", c.queued, true, width))
	}
	return lines
}

func waitingLine(st *views.Styles, words, text string, last bool, width int) string {
	esc := ""
	if last {
		esc = " (Esc takes it back)"
	}
	said := terminal.CutToWidth(terminal.Clean(text), width-len(words)-len(esc)-1)
	return st.Faint.Render(words) + st.Text.Render(said) + st.Faint.Render(esc)
}

func (c *chat) unqueueMessage() {
	if c.queued != "" {
		c.input.GiveBack(c.queued)
		c.queued = ""
	}
}

// makeTurn returns the turn for a text. After a lost reply to the same text, makeTurn returns the
// earlier turn, because the message must not count twice.
func (c *chat) makeTurn(text string) conversation.Turn {
	if c.unseen.Text == text {
		return c.unseen
	}
	return c.env.requester.NewTurn(text)
}

func (c *chat) transmit(t pendingTurn) tea.Cmd {
	c.turn = t
	c.log.ForgetBroken()
	c.log.AddEntry(c.messageEntry(wire.RoleUser, t.Text))
	c.log.ScrollToEnd()
	stream, lost := conversation.NewReplyStream(), c.unseen.Text
	activity := c.current.User.Persona.CharacterName() + " is thinking"
	if lost != "" {
		activity = "checking if the message arrived"
	}
	user, session, machines, requester := c.current.User, c.current.Session, c.current.Machines, c.env.requester
	asking := c.startRequest(activity, "not sent", func(ctx context.Context) (func() tea.Cmd, error) {
		defer stream.EndWords()
		if lost != "" {
			seen, err := requester.ReadUnseen(ctx, user, session, machines)
			if err != nil || seen.HasTurn(lost) {
				return func() tea.Cmd { return c.handleUnseen(seen, eventUnsent) }, err
			}
			// ReadMeanwhile finds unseen messages of other windows.
		}
		reply, err := requester.SendTurn(ctx, user, session, t.Turn, stream.AddWords)
		if err != nil {
			return nil, sentError{err}
		}
		meanwhile := requester.ReadMeanwhile(ctx, user, session, t.Text, reply)
		nearly := requester.ReadNearly(ctx, user, session, reply)
		return func() tea.Cmd { return c.showReply(t.Text, reply, meanwhile, nearly) }, nil
	})
	c.request.stream = stream
	return tea.Batch(asking, awaitWords(stream, wordsCameMsg{c.currentTicket()}))
}

// sentError is the error of a turn that the service may have received.
type sentError struct{ error }

func (e sentError) Unwrap() error { return e.error }
