package tui

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/conversation"
	"github.com/parley-npc/parley/tui/terminal"
)

// notices are the texts of the line above the input.
type notices struct {
	trouble string // what went wrong last
	news    string // what was done last, until the next key
}

// waiting is a question on its way to the service.
type waiting struct {
	since  time.Time
	words  string // what is waited for, in words
	cancel context.CancelFunc
	// Of a turn: the message, the number of earlier attempts, and the streamed reply. Other
	// questions leave them zero.
	turn   conversation.Turn
	tries  int
	stream *conversation.ReplyStream
	why    string // what went wrong with it before
	busy   *busyNotice
	// opening is the machine that opens in stream, nil for other questions.
	opening *conversation.Machine
}

// busyNotice is the last notice of a wait for a provider or the service. The question's
// goroutine sets it, the screen reads it.
type busyNotice struct {
	mu    sync.Mutex
	words string
	until time.Time
}

// hearWaits returns a context that stores waits in the notice.
func (e *env) hearWaits(ctx context.Context) (*busyNotice, context.Context) {
	b := &busyNotice{}
	return b, wire.WithWaitNotice(ctx, func(n wire.WaitNotice) { b.setNotice(n, e.opts.Now()) })
}

func (b *busyNotice) setNotice(n wire.WaitNotice, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.words, b.until = "provider busy", now.Add(n.Wait())
	switch n.Reason {
	case wire.WaitRateLimit:
		b.words = "provider's rate limit"
	case wire.WaitServiceLimit:
		b.words = "rate limit"
	case wire.WaitService:
		b.words = "service busy"
	}
}

// noticeWords returns what is waited for and how long still; "" when it is over.
func (b *busyNotice) noticeWords(now time.Time) string {
	if b == nil {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if left := b.until.Sub(now); left > 0 {
		return fmt.Sprintf("%s, asked again in %s (Esc gives up)", b.words, secondWords(left))
	}
	return ""
}

func (d *dialogue) currentTicket() ticket { return ticket{d.current.Session.ID, d.call} }

// takeExpected reports whether an answer is the one that is waited for, and ends the
// waiting.
func (d *dialogue) takeExpected(t ticket) bool {
	if d.wait == nil || t != d.currentTicket() {
		return false
	}
	d.wait.cancel()
	d.wait = nil
	return true
}

// askService runs a question and lets the waiting line move.
func (d *dialogue) askService(words string, question func(context.Context, ticket) tea.Msg) tea.Cmd {
	return tea.Batch(d.startQuestion(words, question), d.scheduleTick(d.currentTicket()))
}

// startQuestion runs a question with a context that Esc ends.
func (d *dialogue) startQuestion(words string, question func(context.Context, ticket) tea.Msg) tea.Cmd {
	ctx, cancel := context.WithCancel(d.env.ctx)
	d.call++
	d.notice.trouble, d.resetAsked, d.retry = "", false, nil
	busy, ctx := d.env.hearWaits(ctx)
	d.wait = &waiting{since: d.env.opts.Now(), words: words, cancel: cancel, busy: busy}
	t := d.currentTicket()
	return func() tea.Msg { return question(ctx, t) }
}

func (d *dialogue) oneMoment() string {
	return "one moment, " + d.wait.words + " (Esc stops the waiting)"
}

// waitWords returns what is waited for; dots move unless nothing shall, and seconds
// count from the fifth on.
func (d *dialogue) waitWords() string {
	if said := d.wait.busy.noticeWords(d.env.opts.Now()); said != "" {
		return said
	}
	passed := d.env.opts.Now().Sub(d.wait.since)
	dots := 1 + int(passed/waitTick)%3
	if d.env.opts.NoMotion {
		dots = 3
	}
	words := d.wait.words + terminal.PadToWidth(" "+strings.Repeat(".", dots), 4)
	if passed < 5*time.Second {
		return words
	}
	return fmt.Sprintf("%s %d s (Esc)", words, int(passed.Seconds()))
}

// troubleLine returns the last failure. During a retry it stays until the service answers.
func (d *dialogue) troubleLine() string {
	if d.notice.trouble == "" && d.wait != nil && d.wait.why != "" {
		return "not sent yet, trying again now (Esc stops): " + d.wait.why
	}
	return d.notice.trouble
}

// showCountdown returns how long it is still, and comes back when that changes.
func (d *dialogue) showCountdown() tea.Cmd {
	left := d.retry.until.Sub(d.env.opts.Now())
	d.notice.trouble = d.retry.countdownWords(left)
	return d.env.after(min(left, retryTick), retryTickMsg{d.retry.ticket})
}

// How often the waiting line moves.
const waitTick = 400 * time.Millisecond

func (d *dialogue) scheduleTick(t ticket) tea.Cmd { return d.env.after(waitTick, waitTickMsg{t}) }

func (d *dialogue) moveWaiting(msg waitTickMsg) tea.Cmd {
	if d.wait == nil || msg.ticket != d.currentTicket() {
		return nil
	}
	return d.scheduleTick(msg.ticket)
}

// retry is a turn that waits above the input and is sent at a set time, unless the player stops
// that.
type retry struct {
	ticket
	turn  conversation.Turn
	until time.Time
	why   string // one clean line
	tries int    // how often it was sent
}

func (r *retry) countdownWords(left time.Duration) string {
	return fmt.Sprintf("not sent yet, again in %s (Esc stops): %s", secondWords(left), r.why)
}

// reasonFor is why a turn counted down, "" when it did not or when only the time had
// to pass.
func (r *retry) reasonFor(t conversation.Turn) string {
	if r == nil || r.turn != t || r.why == conversation.RateLimited {
		return ""
	}
	return r.why
}

// How often the countdown to the next try moves.
const retryTick = time.Second

// secondWords is a wait in whole seconds, rounded up: "12 s", "3 min 20 s".
func secondWords(d time.Duration) string {
	n := int((max(d, 0) + time.Second - 1) / time.Second)
	if n < 60 {
		return fmt.Sprintf("%d s", n)
	}
	return fmt.Sprintf("%d min %d s", n/60, n%60)
}

// keepPlace remembers the session's place, to tell it apart from others. A failing memory was
// reported when the session was opened.
func (d *dialogue) keepPlace() tea.Cmd {
	d.current.NotePlace()
	saved := d.current.User.Saved
	return func() tea.Msg {
		_ = d.env.places.KeepPlace(saved, false)
		return nil
	}
}

// keepEndings stores the endings that the player has found.
func (d *dialogue) keepEndings() tea.Cmd {
	keep, session := d.env.requester.KeepEndings(d.current.User), d.current.Session.ID
	return func() tea.Msg {
		if err := keep(); err != nil {
			return notKeptMsg{session, "your endings could not be kept", err}
		}
		return nil
	}
}

// reportNotKept reports a failed write, with the reason.
func (d *dialogue) reportNotKept(msg notKeptMsg) {
	if msg.sessionID == d.current.Session.ID {
		d.notice.trouble = msg.what + ": " + d.env.requester.ExplainError(msg.err)
	}
}

// beginCountdown begins the countdown to sending a turn, which waits above the input.
func (d *dialogue) beginCountdown(t conversation.Turn, until time.Time, why string, tries int) tea.Cmd {
	d.call++
	d.retry = &retry{ticket: d.currentTicket(), turn: t, until: until, why: why, tries: tries}
	return d.showCountdown()
}

// checkRetryText updates the remaining time of a countdown, if nothing else is shown.
func (d *dialogue) checkRetryText() {
	if d.retry != nil && d.notice.trouble == "" {
		d.notice.trouble = d.retry.countdownWords(d.retry.until.Sub(d.env.opts.Now()))
	}
}

// readUnseen asks the service for the unseen messages of the session.
func (d *dialogue) readUnseen(words string) tea.Cmd {
	v, sc, before := d.current.User, d.current.Session, d.current.Machines
	return d.askService(words, func(ctx context.Context, t ticket) tea.Msg {
		seen, err := d.env.requester.ReadUnseen(ctx, v, sc, before)
		if err != nil {
			return failedMsg{t, "", "stopped", err}
		}
		return unseenReadMsg{ticket: t, unseen: seen}
	})
}
