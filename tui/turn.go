package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

// sendText sends the player's message. It queues the message while a reply is pending, and starts a
// countdown while a rate limit applies.
func (d *dialogue) sendText(text string) tea.Cmd {
	said := eventSay
	if d.env.opts.Now().Before(d.notBefore) {
		said = eventHold
	}
	switch do := d.advance(said); {
	case do.has(queueTurn) && d.queued != "":
		// One message is enough, because the player should see the reply before writing more.
		d.notice.trouble = "one message is already waiting (Esc takes it back)"
	case do.has(queueTurn):
		d.queued, d.notice.trouble = text, ""
		d.input.TakeText()
		d.checkRetryText()
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

func (d *dialogue) sendTurn(t conversation.Turn) tea.Cmd {
	if !d.advance(eventSay).has(sendTurn) {
		d.input.GiveBack(t.Text)
		return nil
	}
	return d.transmit(pendingTurn{Turn: t})
}

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

// makeTurn returns the turn for a text. If the reply to the same text was lost, it returns that
// earlier turn, because the message must not count twice.
func (d *dialogue) makeTurn(text string) conversation.Turn {
	if d.unseen.Text == text {
		return d.unseen
	}
	return d.env.requester.NewTurn(text)
}

// transmit sends a turn and adds its text to the transcript. If the reply to an earlier turn was
// lost, it first asks whether that turn counted.
func (d *dialogue) transmit(t pendingTurn) tea.Cmd {
	d.turn = t
	d.log.ForgetBroken()
	d.log.AddEntry(d.teller.messageEntry(wire.RoleUser, t.Text))
	d.log.ScrollToEnd()
	s, look, words := conversation.NewReplyStream(), d.checkUnseen(), d.current.User.Persona.CharacterName()+" is thinking"
	if d.unseen.Text != "" {
		words = "checking if the message arrived"
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
