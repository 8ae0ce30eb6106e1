package tui

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/transcript"
)

// handleFailure shows a failure in one line and returns the words to the input; it retries if that
// helps.
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
		return d.readUnseen("reading how it ended")
	}
	if conversation.IsMissing(msg.err) {
		d.notice.trouble = "the service does not know this session any more: /reset begins it again"
	}
	return d.scheduleRetry(msg.err)
}

// scheduleRetry counts down to a retry of a failed turn if that helps, and otherwise returns its
// words to the input. A turn with a begun reply is not retried automatically. Text written
// meanwhile is a separate message.
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

// cancelWaiting cancels the newest of these: the queued message, the scheduled retry, the request.
// It checks at once whether a turn counted anyway, and again before the next turn.
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
		return d.readUnseen("asking whether it had arrived")
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

// tickRetry moves the countdown, or ends it and sends.
func (d *dialogue) tickRetry(msg retryTickMsg) tea.Cmd {
	if d.state != stateCountdown || msg.ticket != d.currentTicket() {
		return nil
	}
	if d.env.opts.Now().Before(d.turn.until) {
		return d.showCountdown()
	}
	return d.retryNow()
}

// retryNow sends the turn that counts down, but not before a rate limit is over.
func (d *dialogue) retryNow() tea.Cmd {
	if d.env.opts.Now().Before(d.notBefore) {
		return d.showCountdown()
	}
	d.advance(eventDue)
	return d.transmit(d.turn)
}

// checkUnseen is the question that comes before a turn when the one before it was
// not seen to its end: nil means that it did not count.
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
		return nil // What others have said is found behind the turn.
	}
}

// handleUnseen compares the session with the transcript and adds the missing messages.
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
		d.notice.trouble = "stopped: nothing of this turn was kept, your words are back"
		return nil
	}
	return d.showUnseen(msg.unseen)
}

// showUnseen shows the stored messages that the player has not seen, and goes on as after any turn.
func (d *dialogue) showUnseen(m *conversation.Unseen) tea.Cmd {
	told := m.TellUnseen()
	last := told[len(told)-1]
	d.log.ForgetBroken()
	if words := d.unseen.Text; m.HasTurn(words) {
		d.input.TakeOut(strings.TrimSpace(terminal.CleanLines(words)))
		if d.notice.news = "your earlier words had arrived: this is the answer"; d.hasInput() {
			d.notice.trouble = "your earlier words had arrived: read the answer first"
		}
		d.checkReplay(words)
	} else {
		d.log.AddNote(saidElsewhere, transcript.ToneNews)
		d.notice.trouble = "nothing of what you wrote was kept: your words are back"
		if m.Session.Standing.IsFinished() {
			d.notice.trouble = d.current.Session.Machine.Title + " has ended in another window: your words are kept"
		}
	}
	d.unseen = conversation.Turn{}
	d.teller.addEntries(d.teller.messageEntries(d.current.Session.Machine, told[:len(told)-1]))
	d.log.AddEntry(d.teller.messageEntry(last.Role, last.Content))
	return d.showChanges(last.Before, m.Unlocked)
}
