package tui

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/parley-npc/parley/tui/conversation"
)

// retry is a message that stands in the input and is sent by itself at a time,
// unless the player stops that or changes the words.
type retry struct {
	ticket
	turn  conversation.Turn
	shown string // what the input holds for it
	until time.Time
	why   string // one clean line
	tries int    // how often it was sent
}

// How often the countdown to the next try moves.
const retryTick = time.Second

// scheduleRetry gives a failed turn's words back, and where trying again helps counts
// down to that. Somebody who has written on meanwhile decides himself what is
// sent, and a reply that was begun is not asked for again unasked.
func (d *dialogue) scheduleRetry(sent *waiting, err error, heard bool) tea.Cmd {
	wait, why := d.requester.RetryDelay(err, sent.tries)
	if conversation.IsRateLimited(err) {
		d.notBefore = d.opts.Now().Add(wait)
	}
	if wait == 0 || d.isTyping() || heard && !d.requester.IsLost(err) {
		d.unqueueMessage()
		d.input.GiveBack(sent.turn.Text)
		return nil
	}
	d.input.GiveBack(sent.turn.Text)
	return d.beginCountdown(sent.turn, d.opts.Now().Add(wait), why, sent.tries+1)
}

func (h *retry) countdownWords(left time.Duration) string {
	return fmt.Sprintf("not sent yet, again in %s (Esc stops): %s", secondWords(left), h.why)
}

// secondWords is a wait in whole seconds, rounded up: "12 s", "3 min 20 s".
func secondWords(d time.Duration) string {
	n := int((max(d, 0) + time.Second - 1) / time.Second)
	if n < 60 {
		return fmt.Sprintf("%d s", n)
	}
	return fmt.Sprintf("%d min %d s", n/60, n%60)
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

// reasonFor is why a turn counted down, "" when it did not or when only the time had
// to pass.
func (h *retry) reasonFor(t conversation.Turn) string {
	if h == nil || h.turn != t || h.why == conversation.RateLimited {
		return ""
	}
	return h.why
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
