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

type request struct {
	since   time.Time
	words   string
	cancel  context.CancelFunc
	busy    *busyNotice
	stream  *conversation.ReplyStream
	opening *conversation.Machine
}

type pendingTurn struct {
	conversation.Turn
	tries  int
	reason string
	until  time.Time
}

// busyNotice is the latest wait notice of a request. The goroutine of the request writes the
// notice, and the screen reads it.
type busyNotice struct {
	mu    sync.Mutex
	words string
	until time.Time
}

func (e *env) hearWaits(ctx context.Context) (*busyNotice, context.Context) {
	busy := &busyNotice{}
	return busy, wire.WithWaitNotice(ctx, func(n wire.WaitNotice) { busy.set(n, e.opts.Now()) })
}

func (b *busyNotice) set(n wire.WaitNotice, now time.Time) {
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

func (b *busyNotice) text(now time.Time) string {
	if b == nil {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if remaining := b.until.Sub(now); remaining > 0 {
		return fmt.Sprintf("%s, next attempt in %s (Esc gives up)", b.words, secondWords(remaining))
	}
	return ""
}

func (c *chat) currentTicket() ticket { return ticket{c.current.Session.ID, c.calls} }

func (c *chat) expects(t ticket) bool { return c.state.isOut() && t == c.currentTicket() }

// ask runs work in the background, and then the returned show in Update. It cancels a waiting retry.
// It returns nil if another request is running.
func (c *chat) ask(activity, failure string, work func(context.Context) (show func() tea.Cmd, err error)) tea.Cmd {
	if !c.advance(eventAsk).has(startRequest) {
		return nil
	}
	return c.startRequest(activity, failure, work)
}

func (c *chat) startRequest(
	activity, failure string, work func(context.Context) (show func() tea.Cmd, err error),
) tea.Cmd {
	ctx, cancel := context.WithCancel(c.env.ctx)
	c.calls++
	c.trouble, c.resetAsked = "", false
	busy, ctx := c.env.hearWaits(ctx)
	c.request = &request{since: c.env.opts.Now(), words: activity, cancel: cancel, busy: busy}
	t := c.currentTicket()
	return tea.Batch(func() tea.Msg {
		show, err := work(ctx)
		if err != nil {
			return failedMsg{t, failure, err}
		}
		return answerMsg{t, show}
	}, c.scheduleTick(t))
}

func (c *chat) runAsync(work func(context.Context) (show func() tea.Cmd)) tea.Cmd {
	return runAsync(c, func() func() tea.Cmd { return work(c.env.ctx) })
}

func (c *chat) saveAsync(failure string, store func() error) tea.Cmd {
	session := c.current.Session.ID
	return c.runAsync(func(context.Context) func() tea.Cmd {
		err := store()
		return func() tea.Cmd {
			if err != nil && session == c.current.Session.ID {
				c.trouble = failure + ": " + c.env.requester.ExplainError(err)
			}
			return nil
		}
	})
}

func (c *chat) refusal() string {
	if c.state == stateEnded {
		return c.current.Session.Machine.Title + " has ended: choose what comes next"
	}
	return "one moment, " + c.request.words + " (Esc stops the waiting)"
}

func (c *chat) waitWords() string {
	if notice := c.request.busy.text(c.env.opts.Now()); notice != "" {
		return notice
	}
	passed := c.env.opts.Now().Sub(c.request.since)
	dots := 1 + int(passed/waitTick)%3
	if c.env.opts.NoMotion {
		dots = 3
	}
	words := c.request.words + terminal.PadToWidth(" "+strings.Repeat(".", dots), 4)
	if passed < 5*time.Second {
		return words
	}
	return fmt.Sprintf("%s %d s (Esc)", words, int(passed.Seconds()))
}

func (c *chat) troubleLine() string {
	reason := c.turn.reason
	if c.trouble == "" && c.state == stateWaiting && reason != "" && reason != conversation.RateLimited {
		return "not sent yet, trying again now (Esc stops): " + reason
	}
	return c.trouble
}

func (c *chat) beginCountdown(t pendingTurn) tea.Cmd {
	c.calls++
	c.turn = t
	return c.showCountdown()
}

func (c *chat) showCountdown() tea.Cmd {
	remaining := c.turn.until.Sub(c.env.opts.Now())
	c.trouble = c.turn.countdownWords(remaining)
	return c.env.after(min(remaining, retryTick), retryTickMsg{c.currentTicket()})
}

func (c *chat) checkRetryText() {
	if c.state == stateCountdown && c.trouble == "" {
		c.trouble = c.turn.countdownWords(c.turn.until.Sub(c.env.opts.Now()))
	}
}

func (t *pendingTurn) countdownWords(remaining time.Duration) string {
	return fmt.Sprintf("not sent yet, again in %s (Esc stops): %s", secondWords(remaining), t.reason)
}

const waitTick = 400 * time.Millisecond

func (c *chat) scheduleTick(t ticket) tea.Cmd { return c.env.after(waitTick, waitTickMsg{t}) }

const retryTick = time.Second

func secondWords(d time.Duration) string {
	n := int((max(d, 0) + time.Second - 1) / time.Second)
	if n < 60 {
		return fmt.Sprintf("%d s", n)
	}
	return fmt.Sprintf("%d min %d s", n/60, n%60)
}

// savePlace ignores errors, because an earlier failure was reported when the session was opened.
func (c *chat) savePlace() {
	c.current.NotePlace()
	_ = c.env.requester.Memory.Remember(c.current.User.Saved)
}

func (c *chat) saveEndings() tea.Cmd {
	return c.saveAsync("your endings could not be saved", c.env.requester.KeepEndings(c.current.User))
}
