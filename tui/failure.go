package tui

import (
	"context"
	"net/http"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/views"
)

func (d *dialogue) handleFailure(msg failedMsg) tea.Cmd {
	if !d.expects(msg.ticket) {
		return nil
	}
	d.notice.trouble = msg.what + ": " + d.env.requester.ExplainError(msg.err)
	if !d.state.hasTurn() {
		d.advance(eventFail)
		d.holdText()
		return nil
	}
	if msg.sent && d.env.requester.MayHaveCounted(msg.err) {
		d.unseen = d.turn.Turn
	}
	if conversation.IsEnded(msg.err) {
		d.unseen = d.turn.Turn
		d.advance(eventGone)
		return d.readUnseen("reading how the part ended")
	}
	if wire.ErrorStatus(msg.err) == http.StatusNotFound {
		d.notice.trouble = "the service no longer has this session: /reset starts it again"
	}
	return d.scheduleRetry(msg.err)
}

// scheduleRetry starts the countdown to a retry of a failed turn. After the first words of a reply,
// only a lost connection is a reason to retry.
func (d *dialogue) scheduleRetry(err error) tea.Cmd {
	wait, why := d.env.requester.RetryDelay(err, d.turn.tries)
	if conversation.IsRateLimited(err) {
		d.notBefore = d.env.opts.Now().Add(wait)
	}
	d.showWaitingWords()
	if wait == 0 || d.state == stateReplying && !d.env.requester.IsLost(err) {
		d.advance(eventFail)
		return nil
	}
	d.advance(eventRetry)
	return d.beginCountdown(pendingTurn{d.turn.Turn, d.turn.tries + 1, why, d.env.opts.Now().Add(wait)})
}

func (d *dialogue) cancelWaiting() tea.Cmd {
	d.notice.trouble, d.resetAsked = "", false
	if d.queued != "" {
		d.unqueueMessage()
		d.checkRetryText()
		return nil
	}
	was := d.state
	if d.advance(eventStop).has(checkTurn) {
		d.unseen = d.turn.Turn
		return d.readUnseen("checking if the message arrived")
	}
	switch {
	case was == stateCountdown:
		d.notice.trouble = "not sent: Enter tries again"
	case was.isOut():
		d.notice.trouble = "stopped"
		d.holdText()
	}
	return nil
}

func (d *dialogue) tickRetry(msg retryTickMsg) tea.Cmd {
	if d.state != stateCountdown || msg.ticket != d.currentTicket() {
		return nil
	}
	if d.env.opts.Now().Before(d.turn.until) {
		return d.showCountdown()
	}
	return d.retryNow()
}

func (d *dialogue) retryNow() tea.Cmd {
	if d.env.opts.Now().Before(d.notBefore) {
		return d.showCountdown()
	}
	d.advance(eventDue)
	return d.transmit(d.turn)
}

// checkUnseen returns a function that reports whether a turn with a lost reply has counted. The
// function returns nil if the next turn may be sent.
func (d *dialogue) checkUnseen() func(context.Context, ticket, conversation.Turn) tea.Msg {
	v, sc, before, last := d.current.User, d.current.Session, d.current.Machines, d.unseen
	return func(ctx context.Context, at ticket, t conversation.Turn) tea.Msg {
		if last.Text == "" {
			return nil
		}
		seen, err := d.env.requester.ReadUnseen(ctx, v, sc, before)
		switch {
		case err != nil:
			return failedMsg{ticket: at, what: "not sent", err: err}
		case seen.HasTurn(last.Text):
			return unseenReadMsg{at, seen, true}
		}
		return nil // ReadMeanwhile finds messages from other windows after the turn.
	}
}

func (d *dialogue) handleUnseen(msg unseenReadMsg) tea.Cmd {
	if !d.expects(msg.ticket) {
		return nil
	}
	found := len(msg.unseen.Messages) > 0
	if sc, now := d.current.Session, msg.unseen.Session; found {
		sc.ID, sc.Messages, sc.Standing = now.ID, now.Messages, now.Standing
	}
	came := eventAnswer
	if msg.unsent {
		came = eventUnsent
	}
	d.advance(came)
	if !found {
		d.notice.trouble = "stopped: the turn did not count, your text is in the input again"
		return nil
	}
	return d.showUnseen(msg.unseen)
}

func (d *dialogue) showUnseen(m *conversation.Unseen) tea.Cmd {
	told := m.TellUnseen()
	last := told[len(told)-1]
	d.log.ForgetBroken()
	if words := d.unseen.Text; m.HasTurn(words) {
		d.input.TakeOut(strings.TrimSpace(terminal.CleanLines(words)))
		if d.notice.news = "your previous message did arrive: this is the answer"; d.hasInput() {
			d.notice.trouble = "your previous message did arrive: read the answer first"
		}
		d.checkReplay(words)
	} else {
		d.log.AddNote(saidElsewhere, views.ToneNews)
		d.notice.trouble = "your message did not count: it is in the input again"
		if m.Session.Standing.IsFinished() {
			d.notice.trouble = d.current.Session.Machine.Title + " has ended in another window: your words are kept"
		}
	}
	d.unseen = conversation.Turn{}
	d.teller.addEntries(d.teller.messageEntries(d.current.Session.Machine, told[:len(told)-1]))
	d.log.AddEntry(d.teller.messageEntry(last.Role, last.Content))
	return d.showChanges(last.Before, m.Unlocked)
}
