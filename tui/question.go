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

// notices contains the texts of the line above the input.
type notices struct {
	trouble string // the last failure
	news    string // the last confirmation, until the next key
}

// request is a pending request to the service.
type request struct {
	since  time.Time
	words  string // a description of the request
	cancel context.CancelFunc
	busy   *busyNotice
	stream *conversation.ReplyStream // the streamed reply or opening; nil for other requests
	// opening is the machine that is being opened, nil for other requests.
	opening *conversation.Machine
}

// pendingTurn is a turn without a reply. It was sent, or it waits to be sent.
type pendingTurn struct {
	conversation.Turn
	tries int       // how often the turn was sent before
	why   string    // why the last attempt failed, as one clean line
	until time.Time // when the countdown ends
}

// busyNotice is the last notice that a request waits for a provider or the service. The goroutine
// of the request writes it, and the screen reads it.
type busyNotice struct {
	mu    sync.Mutex
	words string
	until time.Time
}

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

func (b *busyNotice) noticeWords(now time.Time) string {
	if b == nil {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if left := b.until.Sub(now); left > 0 {
		return fmt.Sprintf("%s, next attempt in %s (Esc gives up)", b.words, secondWords(left))
	}
	return ""
}

func (d *dialogue) currentTicket() ticket { return ticket{d.current.Session.ID, d.calls} }

func (d *dialogue) expects(t ticket) bool { return d.state.isOut() && t == d.currentTicket() }

// ask sends a request other than a turn, and cancels a countdown. It returns nil while another
// request is pending.
func (d *dialogue) ask(words string, question func(context.Context, ticket) tea.Msg) tea.Cmd {
	if !d.advance(eventAsk).has(startRequest) {
		return nil
	}
	return d.startRequest(words, question)
}

// startRequest starts a request and the updates of the waiting line. Esc cancels the context that
// question gets.
func (d *dialogue) startRequest(words string, question func(context.Context, ticket) tea.Msg) tea.Cmd {
	ctx, cancel := context.WithCancel(d.env.ctx)
	d.calls++
	d.notice.trouble, d.resetAsked = "", false
	busy, ctx := d.env.hearWaits(ctx)
	d.request = &request{since: d.env.opts.Now(), words: words, cancel: cancel, busy: busy}
	t := d.currentTicket()
	return tea.Batch(func() tea.Msg { return question(ctx, t) }, d.scheduleTick(t))
}

func (d *dialogue) refusal() string {
	if d.state == stateEnded {
		return d.current.Session.Machine.Title + " has ended: choose what comes next"
	}
	return "one moment, " + d.request.words + " (Esc stops the waiting)"
}

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

func (d *dialogue) troubleLine() string {
	why := d.turn.why
	if d.notice.trouble == "" && d.state == stateWaiting && why != "" && why != conversation.RateLimited {
		return "not sent yet, trying again now (Esc stops): " + why
	}
	return d.notice.trouble
}

func (d *dialogue) beginCountdown(t pendingTurn) tea.Cmd {
	d.calls++
	d.turn = t
	return d.showCountdown()
}

func (d *dialogue) showCountdown() tea.Cmd {
	left := d.turn.until.Sub(d.env.opts.Now())
	d.notice.trouble = d.turn.countdownWords(left)
	return d.env.after(min(left, retryTick), retryTickMsg{d.currentTicket()})
}

func (d *dialogue) checkRetryText() {
	if d.state == stateCountdown && d.notice.trouble == "" {
		d.notice.trouble = d.turn.countdownWords(d.turn.until.Sub(d.env.opts.Now()))
	}
}

func (t *pendingTurn) countdownWords(left time.Duration) string {
	return fmt.Sprintf("not sent yet, again in %s (Esc stops): %s", secondWords(left), t.why)
}

const waitTick = 400 * time.Millisecond

func (d *dialogue) scheduleTick(t ticket) tea.Cmd { return d.env.after(waitTick, waitTickMsg{t}) }

const retryTick = time.Second

// secondWords returns a duration in whole seconds, rounded up: "12 s", "3 min 20 s".
func secondWords(d time.Duration) string {
	n := int((max(d, 0) + time.Second - 1) / time.Second)
	if n < 60 {
		return fmt.Sprintf("%d s", n)
	}
	return fmt.Sprintf("%d min %d s", n/60, n%60)
}

// ignores errors, because the opening of the session has reported them.
func (d *dialogue) keepPlace() tea.Cmd {
	d.current.NotePlace()
	saved := d.current.User.Saved
	return func() tea.Msg {
		_ = d.env.places.KeepPlace(saved, false)
		return nil
	}
}

func (d *dialogue) keepEndings() tea.Cmd {
	keep, session := d.env.requester.KeepEndings(d.current.User), d.current.Session.ID
	return func() tea.Msg {
		if err := keep(); err != nil {
			return notKeptMsg{session, "your endings could not be saved", err}
		}
		return nil
	}
}

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
