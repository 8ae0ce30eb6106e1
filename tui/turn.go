package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// sendText sends the player's message. While a rate limit applies, it starts a countdown instead.
// While a reply is pending, it queues the message.
func (d *dialogue) sendText(text string) tea.Cmd {
	said := eventSay
	if d.env.opts.Now().Before(d.notBefore) {
		said = eventHold
	}
	switch do := d.advance(said); {
	case do.has(queueTurn):
		d.queueMessage(text)
	case do.has(startCountdown):
		t := d.makeTurn(text)
		d.input.TakeText()
		return d.beginCountdown(pendingTurn{Turn: t, until: d.notBefore, why: conversation.RateLimited})
	case do.has(sendTurn):
		t := d.makeTurn(text)
		d.input.TakeText()
		return d.transmit(pendingTurn{Turn: t})
	}
	return nil
}

// sendTurn sends a turn that the player did not type just now. If the turn cannot be sent, its text
// goes to the input.
func (d *dialogue) sendTurn(t conversation.Turn) tea.Cmd {
	if !d.advance(eventSay).has(sendTurn) {
		d.input.GiveBack(t.Text)
		return nil
	}
	return d.transmit(pendingTurn{Turn: t})
}

// queueMessage keeps one message until the reply arrives. One message is enough, because the player
// should see the reply before writing more.
func (d *dialogue) queueMessage(text string) {
	if d.queued != "" {
		d.notice.trouble = "one message is already waiting (Esc takes it back)"
		return
	}
	d.queued, d.notice.trouble = text, ""
	d.input.TakeText()
	d.checkRetryText()
}

// waitingLines returns the messages that wait above the input. One counts down, and the other is
// queued.
func (d *dialogue) waitingLines(width int) []string {
	var lines []string
	if d.state == stateCountdown {
		lines = append(lines, waitingLine(d.env.st, "   waits: ", d.turn.Text, d.queued == "", width))
	}
	if d.queued != "" {
		lines = append(lines, waitingLine(d.env.st, "   then: ", d.queued, true, width))
	}
	return lines
}

// waitingLine returns a line with a waiting message. If last is true, the line also says that Esc
// takes the message back.
func waitingLine(st *views.Styles, words, text string, last bool, width int) string {
	esc := ""
	if last {
		esc = " (Esc takes it back)"
	}
	said := terminal.CutToWidth(terminal.Clean(text), width-len(words)-len(esc)-1)
	return st.Faint.Render(words) + st.Text.Render(said) + st.Faint.Render(esc)
}

func (d *dialogue) unqueueMessage() {
	if d.queued != "" {
		d.input.GiveBack(d.queued)
		d.queued = ""
	}
}

// makeTurn returns the turn for a text. If the reply to a turn with the same text was lost, it
// returns that turn again, so that the message cannot count twice.
func (d *dialogue) makeTurn(text string) conversation.Turn {
	if d.unseen.Text == text {
		return d.unseen
	}
	return d.env.requester.NewTurn(text)
}

// transmit sends a turn and adds its text to the transcript. If the reply to an earlier turn was
// lost, it first checks whether that turn counted.
func (d *dialogue) transmit(t pendingTurn) tea.Cmd {
	d.turn = t
	d.log.ForgetBroken()
	d.log.AddEntry(d.teller.messageEntry(wire.RoleUser, t.Text))
	d.log.ScrollToEnd()
	s, look, words := conversation.NewReplyStream(), d.checkUnseen(), d.current.User.Persona.CharacterName()+" is thinking"
	if d.unseen.Text != "" {
		words = "checking whether it arrived"
	}
	v, sc, by := d.current.User, d.current.Session, d.env.requester
	asking := d.startRequest(words, func(ctx context.Context, at ticket) tea.Msg {
		defer s.EndWords()
		if msg := look(ctx, at, t.Turn); msg != nil {
			return msg
		}
		reply, err := by.SendTurn(ctx, v, sc, t.Turn, s.AddWords)
		if err != nil {
			return failedMsg{ticket: at, sent: true, what: "not sent", err: err}
		}
		meanwhile := by.ReadMeanwhile(ctx, v, sc, t.Text, reply)
		return replyArrivedMsg{at, t.Text, reply, meanwhile, by.ReadNearly(ctx, v, sc, reply)}
	})
	d.request.stream = s
	return tea.Batch(asking, awaitWords(s, wordsCameMsg{d.currentTicket()}))
}
