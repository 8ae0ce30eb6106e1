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

// request is a question on its way to the service.
type request struct {
	since  time.Time
	words  string // what is waited for, in words
	cancel context.CancelFunc
	busy   *busyNotice
	stream *conversation.ReplyStream // of a turn or an opening, nil for other questions
	// opening is the machine that opens in stream, nil for other questions.
	opening *conversation.Machine
}

// pendingTurn is a turn that is out, or that counts down to being sent.
type pendingTurn struct {
	conversation.Turn
	tries int       // how often it was sent before
	why   string    // why that failed, one clean line
	until time.Time // when the countdown is over
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

func (d *dialogue) currentTicket() ticket { return ticket{d.current.Session.ID, d.calls} }

// expects reports whether an answer is the one that is waited for.
func (d *dialogue) expects(t ticket) bool { return d.state.isOut() && t == d.currentTicket() }

// ask asks another question than a turn. It refuses while one is out, and cancels a countdown.
func (d *dialogue) ask(words string, question func(context.Context, ticket) tea.Msg) tea.Cmd {
	if !d.advance(eventAsk).has(startRequest) {
		return nil
	}
	return d.startRequest(words, question)
}

// startRequest runs a question with a context that Esc ends, and lets the waiting line move.
func (d *dialogue) startRequest(words string, question func(context.Context, ticket) tea.Msg) tea.Cmd {
	ctx, cancel := context.WithCancel(d.env.ctx)
	d.calls++
	d.notice.trouble, d.resetAsked = "", false
	busy, ctx := d.env.hearWaits(ctx)
	d.request = &request{since: d.env.opts.Now(), words: words, cancel: cancel, busy: busy}
	t := d.currentTicket()
	return tea.Batch(func() tea.Msg { return question(ctx, t) }, d.scheduleTick(t))
}

// refusal returns the reason why nothing can be sent now.
func (d *dialogue) refusal() string {
	if d.state == stateEnded {
		return d.current.Session.Machine.Title + " has ended: choose what comes next"
	}
	return "one moment, " + d.request.words + " (Esc stops the waiting)"
}

// waitWords returns what is waited for; dots move unless nothing shall, and seconds
// count from the fifth on.
func (d *dialogue) waitWords() string {
	if said := d.request.busy.noticeWords(d.env.opts.Now()); said != "" {
		return said
	}
	passed := d.env.opts.Now().Sub(d.request.since)
	dots := 1 + int(passed/waitTick)%3
	if d.env.opts.NoMotion {
		dots = 3
	}
	words := d.request.words + terminal.PadToWidth(" "+strings.Repeat(".", dots), 4)
	if passed < 5*time.Second {
		return words
	}
	return fmt.Sprintf("%s %d s (Esc)", words, int(passed.Seconds()))
}

// troubleLine returns the last failure. During a retry it stays until the service answers.
func (d *dialogue) troubleLine() string {
	why := d.turn.why
	if d.notice.trouble == "" && d.state == stateWaiting && why != "" && why != conversation.RateLimited {
		return "not sent yet, trying again now (Esc stops): " + why
	}
	return d.notice.trouble
}

// beginCountdown begins the countdown to sending a turn, which waits above the input.
func (d *dialogue) beginCountdown(t pendingTurn) tea.Cmd {
	d.calls++
	d.turn = t
	return d.showCountdown()
}

// showCountdown returns how long it is still, and comes back when that changes.
func (d *dialogue) showCountdown() tea.Cmd {
	left := d.turn.until.Sub(d.env.opts.Now())
	d.notice.trouble = d.turn.countdownWords(left)
	return d.env.after(min(left, retryTick), retryTickMsg{d.currentTicket()})
}

// checkRetryText updates the remaining time of a countdown, if nothing else is shown.
func (d *dialogue) checkRetryText() {
	if d.state == stateCountdown && d.notice.trouble == "" {
		d.notice.trouble = d.turn.countdownWords(d.turn.until.Sub(d.env.opts.Now()))
	}
}

func (t *pendingTurn) countdownWords(left time.Duration) string {
	return fmt.Sprintf("not sent yet, again in %s (Esc stops): %s", secondWords(left), t.why)
}

// How often the waiting line moves.
const waitTick = 400 * time.Millisecond

func (d *dialogue) scheduleTick(t ticket) tea.Cmd { return d.env.after(waitTick, waitTickMsg{t}) }

func (d *dialogue) moveWaiting(msg waitTickMsg) tea.Cmd {
	if !d.expects(msg.ticket) {
		return nil
	}
	return d.scheduleTick(msg.ticket)
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
			return notKeptMsg{session, "your endings could not be saved", err}
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

// readUnseen asks the service for the unseen messages of the session, in stateChecking.
func (d *dialogue) readUnseen(words string) tea.Cmd {
	v, sc, before := d.current.User, d.current.Session, d.current.Machines
	return d.startRequest(words, func(ctx context.Context, t ticket) tea.Msg {
		seen, err := d.env.requester.ReadUnseen(ctx, v, sc, before)
		if err != nil {
			return failedMsg{ticket: t, what: "stopped", err: err}
		}
		return unseenReadMsg{ticket: t, unseen: seen}
	})
}
