package tui

import (
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/editor"
	"github.com/parley-npc/parley/tui/terminal"
)

// handleFailure says what went wrong in one line and gives the words back; where trying
// again helps, it will.
func (d *dialogue) handleFailure(msg failedMsg) tea.Cmd {
	sent := d.wait
	if !d.takeExpected(msg.ticket) {
		return nil
	}
	d.trouble = msg.what + ": " + d.requester.ExplainError(msg.err)
	if d.Session.Standing.IsFinished() && d.ending == nil {
		d.showEnding(nil)
	}
	if sent.turn.Text == "" {
		d.replay = nil
		return nil
	}
	heard := d.takeTurnBack(sent)
	d.unsure = d.unsure || d.requester.MayHaveCounted(msg.err)
	if conversation.IsMissing(msg.err) {
		d.trouble = "the service does not know this session any more: /reset begins it again"
	}
	return d.scheduleRetry(sent, msg.err, heard)
}

// takeTurnBack takes the turn out of the transcript. What was heard of its reply
// stays to be read, marked as not kept, until something else is said.
func (d *dialogue) takeTurnBack(sent *waiting) (heard bool) {
	if words := sent.stream.TakeWords(); words != "" {
		d.appendReply(words)
	}
	heard = d.log.Streaming > 0
	d.log.BreakOff()
	d.log.DropLastTurn()
	return heard
}

// cancelWaiting stops waiting, the least first: sending again by itself, the message
// that waits, the question. Whether a turn counted all the same is found out at
// once, and again before the next one.
func (d *dialogue) cancelWaiting() tea.Cmd {
	d.trouble, d.sure = "", false
	switch {
	case d.next != "":
		d.stayAtEnding()
	case d.retry != nil:
		d.retry, d.replay = nil, nil
		d.trouble = "not sent: Enter tries again"
	case d.queued != "":
		d.unqueueMessage()
	case d.wait == nil:
		d.log.ScrollToEnd()
	default:
		return d.stopQuestion()
	}
	return nil
}

// stopQuestion gives the present question up.
func (d *dialogue) stopQuestion() tea.Cmd {
	sent := d.wait
	d.wait.cancel()
	d.wait, d.replay = nil, nil
	if sent.turn.Text == "" {
		d.trouble = "stopped"
		d.showEnding(nil)
		return nil
	}
	d.takeTurnBack(sent)
	d.input.GiveBack(sent.turn.Text)
	d.unsure = true
	v, sc, before := d.User, d.Session, d.Machines
	return d.askService("asking whether it had arrived", func(ctx context.Context, t ticket) tea.Msg {
		seen, err := d.requester.ReadUnseen(ctx, v, sc, before)
		if err != nil {
			return failedMsg{t, "", "stopped", err}
		}
		return unseenReadMsg{ticket: t, unseen: seen}
	})
}

// scheduleRetry gives a failed turn's words back, and where trying again helps counts
// down to that. Somebody who has written on meanwhile decides himself what is
// sent, and a reply that was begun is not asked for again unasked.
func (d *dialogue) scheduleRetry(sent *waiting, err error, heard bool) tea.Cmd {
	wait, why := d.requester.RetryDelay(err, sent.tries)
	if conversation.IsRateLimited(err) {
		d.notBefore = d.opts.Now().Add(wait)
	}
	if wait == 0 || d.isTyping() || heard && !d.requester.IsLost(err) {
		d.replay = nil
		d.unqueueMessage()
		d.input.GiveBack(sent.turn.Text)
		return nil
	}
	d.input.GiveBack(sent.turn.Text)
	return d.beginCountdown(sent.turn, d.opts.Now().Add(wait), why, sent.tries+1)
}

// beginCountdown begins the countdown to sending what stands in the input.
func (d *dialogue) beginCountdown(t conversation.Turn, until time.Time, why string, tries int) tea.Cmd {
	d.call++
	d.retry = &retry{ticket: d.currentTicket(), turn: t, shown: d.input.Text(), until: until, why: why, tries: tries}
	return d.showCountdown()
}

// tickRetry moves the countdown, or ends it and sends.
func (d *dialogue) tickRetry(msg retryTickMsg) tea.Cmd {
	h := d.retry
	switch {
	case h == nil || msg.ticket != h.ticket:
		return nil
	case d.opts.Now().Before(h.until):
		return d.showCountdown()
	}
	d.input.SetText("")
	return d.SendTurn(h.turn, h.tries)
}

// checkRetryText lets go of a message that counts down when its words have changed.
func (d *dialogue) checkRetryText() {
	switch {
	case d.retry == nil || d.trouble != "":
	case d.input.Text() == d.retry.shown:
		d.trouble = d.retry.countdownWords(d.retry.until.Sub(d.opts.Now()))
	default:
		d.retry = nil
		d.trouble = "the words have changed: Enter sends them"
	}
}

// checkUnseen is the question that comes before a turn when the one before it was
// not seen to its end: nil means that it did not count.
func (d *dialogue) checkUnseen() func(context.Context, ticket, conversation.Turn) tea.Msg {
	v, sc, unsure, before := d.User, d.Session, d.unsure, d.Machines
	return func(ctx context.Context, at ticket, t conversation.Turn) tea.Msg {
		if !unsure {
			return nil
		}
		seen, err := d.requester.ReadUnseen(ctx, v, sc, before)
		switch {
		case err != nil:
			return failedMsg{at, t.Text, "not sent", err}
		case len(seen.Messages) > 0:
			return unseenReadMsg{at, seen, t.Text}
		}
		return nil
	}
}

// handleUnseen compares the session with what is shown and adds what was missed.
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
		d.trouble = "stopped: nothing of this turn was kept, your words are back"
		return nil
	}
	return d.showUnseen(msg.unseen)
}

// showUnseen shows what the service has kept and the player has not seen, and goes on
// as after any turn.
func (d *dialogue) showUnseen(m *conversation.Unseen) tea.Cmd {
	before := d.Session.Standing
	d.unsure = false
	d.log.ForgetBroken()
	d.addMessages(m.Messages)
	d.removeFromInput(m.Messages[0].Content)
	d.Session.Messages, d.Session.Standing = m.Session.Messages, m.Session.Standing
	d.checkReplay(m.Messages[0].Content)
	if d.news = "your earlier words had arrived: this is the answer"; d.isTyping() {
		d.trouble = "your earlier words had arrived: read the answer first"
	}
	return d.showChanges(before, m.Unlocked)
}

// removeFromInput takes a message that has counted out of the input; what was written
// below it meanwhile stays.
func (d *dialogue) removeFromInput(content string) {
	said := editor.EscapeSlash(strings.TrimSpace(terminal.CleanLines(content)))
	rest, found := strings.CutPrefix(strings.TrimSpace(d.input.Text()), said)
	if found && (rest == "" || rest[0] == '\n') {
		d.input.SetText(strings.TrimPrefix(rest, "\n"))
	}
}
