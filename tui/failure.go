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
	sent := d.wait
	if !d.takeExpected(msg.ticket) {
		return nil
	}
	breakOpening(d.log, sent)
	d.notice.trouble = msg.what + ": " + d.env.requester.ExplainError(msg.err)
	if d.current.Session.Standing.IsFinished() && d.ending == nil {
		d.showEnding(nil)
	}
	if sent.turn.Text == "" {
		d.replay = nil
		return nil
	}
	heard := d.takeTurnBack(sent)
	d.answerUnseen = d.answerUnseen || d.env.requester.MayHaveCounted(msg.err)
	if conversation.IsEnded(msg.err) {
		return d.lookAfterEnd(sent)
	}
	if conversation.IsMissing(msg.err) {
		d.notice.trouble = "the service does not know this session any more: /reset begins it again"
	}
	return d.scheduleRetry(sent, msg.err, heard)
}

// takeTurnBack removes the turn from the transcript. The streamed words of its reply stay visible,
// marked as not kept, until the next message.
func (d *dialogue) takeTurnBack(sent *waiting) (heard bool) {
	if words := sent.stream.TakeWords(); words != "" {
		d.appendReply(words)
	}
	heard = d.log.Streaming > 0
	d.log.BreakOff()
	d.log.DropLastTurn()
	return heard
}

// lookAfterEnd reads how a part has ended that was played elsewhere too, so that nobody
// could hear the turn.
func (d *dialogue) lookAfterEnd(sent *waiting) tea.Cmd {
	d.unqueueMessage()
	d.input.GiveBack(sent.turn.Text)
	d.answerUnseen = false
	return d.readUnseen("reading how it ended")
}

// cancelWaiting cancels the newest of these: the queued message, the scheduled retry, the request.
// It checks at once whether a turn counted anyway, and again before the next turn.
func (d *dialogue) cancelWaiting() tea.Cmd {
	d.notice.trouble, d.resetAsked = "", false
	switch {
	case d.queued != "":
		d.unqueueMessage()
		d.checkRetryText()
	case d.retry != nil:
		d.takeRetryBack()
		d.replay = nil
		d.notice.trouble = "not sent: Enter tries again"
	case d.wait == nil:
		d.log.ScrollToEnd()
	default:
		return d.stopQuestion()
	}
	return nil
}

// stopQuestion returns the present question up.
func (d *dialogue) stopQuestion() tea.Cmd {
	sent := d.wait
	d.wait.cancel()
	d.wait, d.replay = nil, nil
	breakOpening(d.log, sent)
	if sent.turn.Text == "" {
		d.notice.trouble = "stopped"
		d.showEnding(nil)
		return nil
	}
	d.takeTurnBack(sent)
	d.input.GiveBack(sent.turn.Text)
	d.answerUnseen = true
	return d.readUnseen("asking whether it had arrived")
}

// scheduleRetry counts down to a retry of a failed turn if that helps, and otherwise returns its
// words to the input. A turn with a begun reply is not retried automatically. Text written
// meanwhile is a separate message.
func (d *dialogue) scheduleRetry(sent *waiting, err error, heard bool) tea.Cmd {
	wait, why := d.env.requester.RetryDelay(err, sent.tries)
	if conversation.IsRateLimited(err) {
		d.notBefore = d.env.opts.Now().Add(wait)
	}
	if wait == 0 || heard && !d.env.requester.IsLost(err) {
		d.replay = nil
		d.unqueueMessage()
		d.input.GiveBack(sent.turn.Text)
		return nil
	}
	return d.beginCountdown(sent.turn, d.env.opts.Now().Add(wait), why, sent.tries+1)
}

// tickRetry moves the countdown, or ends it and sends.
func (d *dialogue) tickRetry(msg retryTickMsg) tea.Cmd {
	h := d.retry
	switch {
	case h == nil || msg.ticket != h.ticket:
		return nil
	case d.env.opts.Now().Before(h.until):
		return d.showCountdown()
	}
	return d.SendTurn(h.turn, h.tries)
}

// retryNow sends the turn that counts down at once, but not before a rate limit is over.
func (d *dialogue) retryNow() tea.Cmd {
	if d.env.opts.Now().Before(d.notBefore) {
		return d.showCountdown()
	}
	return d.SendTurn(d.retry.turn, d.retry.tries)
}

// takeRetryBack returns the words of a turn in countdown to the input.
func (d *dialogue) takeRetryBack() {
	if d.retry != nil {
		d.unqueueMessage()
		d.input.GiveBack(d.retry.turn.Text)
		d.retry = nil
	}
}

// askBesides asks another question than a turn, and cancels a countdown.
func (d *dialogue) askBesides(words string, question func(context.Context, ticket) tea.Msg) tea.Cmd {
	d.takeRetryBack()
	return d.askService(words, question)
}

// checkUnseen is the question that comes before a turn when the one before it was
// not seen to its end: nil means that it did not count.
func (d *dialogue) checkUnseen() func(context.Context, ticket, conversation.Turn) tea.Msg {
	v, sc, unseen, before, last := d.current.User, d.current.Session, d.answerUnseen, d.current.Machines, d.last
	return func(ctx context.Context, at ticket, t conversation.Turn) tea.Msg {
		if !unseen {
			return nil
		}
		seen, err := d.env.requester.ReadUnseen(ctx, v, sc, before)
		switch {
		case err != nil:
			return failedMsg{at, t.Text, "not sent", err}
		case seen.HasTurn(last.Text):
			return unseenReadMsg{at, seen, t.Text}
		}
		return nil // What others have said is found behind the turn.
	}
}

// handleUnseen compares the session with the transcript and adds the missing messages.
func (d *dialogue) handleUnseen(msg unseenReadMsg) tea.Cmd {
	sent := d.wait
	if !d.takeExpected(msg.ticket) {
		return nil
	}
	if msg.unsent != "" {
		d.takeTurnBack(sent)
		d.unqueueMessage()
		d.input.GiveBack(msg.unsent)
	}
	if len(msg.unseen.Messages) == 0 {
		d.notice.trouble = "stopped: nothing of this turn was kept, your words are back"
		return nil
	}
	return d.showUnseen(msg.unseen)
}

// showUnseen shows the stored messages that the player has not seen, and goes on as after any turn.
func (d *dialogue) showUnseen(m *conversation.Unseen) tea.Cmd {
	told := m.TellUnseen()
	last := told[len(told)-1]
	d.answerUnseen = false
	d.log.ForgetBroken()
	if m.HasTurn(d.last.Text) {
		d.input.TakeOut(strings.TrimSpace(terminal.CleanLines(d.last.Text)))
		if d.notice.news = "your earlier words had arrived: this is the answer"; d.hasInput() {
			d.notice.trouble = "your earlier words had arrived: read the answer first"
		}
		d.checkReplay(d.last.Text)
	} else {
		d.log.AddNote(saidElsewhere, transcript.ToneNews)
		d.notice.trouble = "nothing of what you wrote was kept: your words are back"
		if m.Session.Standing.IsFinished() {
			d.notice.trouble = d.current.Session.Machine.Title + " has ended in another window: your words are kept"
		}
	}
	d.teller.addEntries(d.teller.messageEntries(d.current.Session.Machine, told[:len(told)-1]))
	d.log.AddEntry(d.teller.messageEntry(last.Role, last.Content))
	sc := d.current.Session
	sc.ID, sc.Messages, sc.Standing = m.Session.ID, m.Session.Messages, m.Session.Standing
	return d.showChanges(last.Before, m.Unlocked)
}
