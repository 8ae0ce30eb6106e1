package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/styles"
	"github.com/parley-npc/parley/tui/terminal"
)

// queueMessage keeps one message until the reply arrives. One is enough, because the player should
// see the answer before writing more.
func (d *dialogue) queueMessage(text string) {
	switch {
	case d.retry == nil && d.wait.turn.Text == "":
		d.notice.trouble = d.oneMoment()
	case d.queued != "":
		d.notice.trouble = "one message waits already (Esc takes it back)"
	default:
		d.queued, d.notice.trouble = text, ""
		d.input.TakeText()
		d.checkRetryText()
	}
}

// waitingLines returns the messages that wait above the input: the one in countdown, and the one
// that follows it or the reply.
func (d *dialogue) waitingLines(width int) []string {
	var lines []string
	if d.retry != nil {
		lines = append(lines, waitingLine(d.env.st, "   waits: ", d.retry.turn.Text, d.queued == "", width))
	}
	if d.queued != "" {
		lines = append(lines, waitingLine(d.env.st, "   then: ", d.queued, true, width))
	}
	return lines
}

// waitingLine is a message that waits; Esc takes the last of them back.
func waitingLine(st *styles.Set, words, text string, last bool, width int) string {
	esc := ""
	if last {
		esc = " (Esc takes it back)"
	}
	said := terminal.CutToWidth(terminal.Clean(text), width-len(words)-len(esc)-1)
	return st.Faint.Render(words) + st.Text.Render(said) + st.Faint.Render(esc)
}

// unqueueMessage returns the waiting message to the input.
func (d *dialogue) unqueueMessage() {
	if d.queued != "" {
		d.input.GiveBack(d.queued)
		d.queued = ""
	}
}

// sendText sends a text that the player has decided on, at once or when the service
// will hear it.
func (d *dialogue) sendText(text string) tea.Cmd {
	t := d.makeTurn(text)
	d.input.TakeText()
	if d.env.opts.Now().Before(d.notBefore) {
		return d.beginCountdown(t, d.notBefore, conversation.RateLimited, 0)
	}
	return d.SendTurn(t, 0)
}

// makeTurn returns the turn for a text. The same words as those of a turn that may have counted are
// that turn again.
func (d *dialogue) makeTurn(text string) conversation.Turn {
	if d.answerUnseen && d.last.Text == text {
		return d.last
	}
	return d.env.requester.NewTurn(text)
}

// SendTurn sends a turn; tries counts the earlier attempts. Its words appear in the transcript at
// once, and if it fails they wait or return to the input. After a turn with a lost answer it first
// checks whether that one counted.
func (d *dialogue) SendTurn(t conversation.Turn, tries int) tea.Cmd {
	d.log.ForgetBroken()
	d.log.AddEntry(d.teller.messageEntry(wire.RoleUser, t.Text))
	d.log.ScrollToEnd()
	s, look, words := conversation.NewReplyStream(), d.checkUnseen(), d.current.User.Persona.CharacterName()+" is thinking"
	if d.answerUnseen {
		words = "asking whether it had arrived"
	}
	v, sc, why := d.current.User, d.current.Session, d.retry.reasonFor(t)
	asking := d.startQuestion(words, func(ctx context.Context, at ticket) tea.Msg {
		defer s.EndWords()
		if msg := look(ctx, at, t); msg != nil {
			return msg
		}
		reply, err := d.env.requester.SendTurn(ctx, v, sc, t, s.AddWords)
		if err != nil {
			return failedMsg{at, t.Text, "not sent", err}
		}
		return replyArrivedMsg{
			at, t.Text, reply, d.env.requester.ReadMeanwhile(ctx, v, sc, t.Text, reply), d.env.requester.ReadNearly(ctx, v, sc, reply),
		}
	})
	d.wait.turn, d.wait.tries, d.wait.stream, d.wait.why, d.last = t, tries, s, why, t
	return tea.Batch(asking, awaitWords(s, wordsCameMsg{d.currentTicket()}), d.scheduleTick(d.currentTicket()))
}
