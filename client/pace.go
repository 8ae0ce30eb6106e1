package client

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// Headers of the IETF draft on rate limits. The first is the number of remaining calls. The second
// is the number of seconds until the limit is reset.
const (
	headerRemaining = "RateLimit-Remaining"
	headerReset     = "RateLimit-Reset"
)

// ErrStopped means that a call was not sent, because its Pace was stopped. It wraps
// context.Canceled.
var ErrStopped = fmt.Errorf("the call was not sent: %w", context.Canceled)

// A Pace keeps concurrent calls within the rate limit that the service reports. When no calls
// remain, or a call fails with 429, all calls wait until the limit is reset. Then one call is sent
// alone. Its answer shows the number of calls that may follow. All calls of a Pace should have the
// same limit. NewPace creates a Pace, which is safe for concurrent use.
type Pace struct {
	stop    <-chan struct{}
	onPause func(wait time.Duration)

	mu sync.Mutex
	// left is how many more calls may be sent now. Only the answer to a call that was sent alone
	// can increase it, because answers to concurrent calls may arrive out of order.
	left          int
	inFlight      int  // calls without an answer yet
	sentAlone     bool // the call in flight was sent while no other call was in flight
	limitKnown    bool // the service has reported its limit
	unlimited     bool // the service has answered and never reported a limit
	pausedUntil   time.Time
	reportedUntil time.Time // the end of the last pause for which onPause was called
	slotsChanged  chan struct{}
}

// NewPace returns a Pace. After stop is closed, unsent calls fail with ErrStopped. onPause is
// called once for each pause, unless it is nil.
func NewPace(stop <-chan struct{}, onPause func(wait time.Duration)) *Pace {
	if onPause == nil {
		onPause = func(time.Duration) {}
	}
	return &Pace{stop: stop, onPause: onPause, slotsChanged: make(chan struct{})}
}

// WithPace returns a client of the same service that uses the same connections. p delays the calls
// of the new client. After a 429, p also delays the retry, and OnRetry is not called.
func (c *Client) WithPace(p *Pace) *Client {
	other := *c
	other.pace = p
	return &other
}

func (p *Pace) acquireSlot(ctx context.Context) error {
	if p == nil {
		return nil
	}
	for {
		select {
		case <-p.stop:
			return ErrStopped
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
		wait, slotsChanged, ok := p.admitCall(time.Now())
		if ok {
			return nil
		}
		p.awaitSlot(ctx, wait, slotsChanged)
	}
}

// admitCall reports whether a call may be sent now. If not, the caller must wait until slotsChanged
// is closed, but at most for wait. A wait of 0 has no limit.
func (p *Pace) admitCall(now time.Time) (wait time.Duration, slotsChanged <-chan struct{}, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	wait = max(p.pausedUntil.Sub(now), 0)
	switch {
	case wait > 0:
		return wait, p.slotsChanged, false
	case p.unlimited:
	case p.left > 0:
		p.left--
	case p.inFlight == 0:
		p.sentAlone = true
	default:
		return 0, p.slotsChanged, false
	}
	p.inFlight++
	return 0, nil, true
}

func (p *Pace) awaitSlot(ctx context.Context, wait time.Duration, slotsChanged <-chan struct{}) {
	var over <-chan time.Time
	if wait > 0 {
		p.reportPause(wait)
		timer := time.NewTimer(wait)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-p.stop:
	case <-ctx.Done():
	case <-slotsChanged:
	case <-over:
	}
}

func (p *Pace) reportPause(wait time.Duration) {
	p.mu.Lock()
	first := p.reportedUntil.Before(p.pausedUntil)
	p.reportedUntil = p.pausedUntil
	p.mu.Unlock()
	if first {
		p.onPause(wait)
	}
}

func (p *Pace) releaseSlot(response *Response) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	alone := p.sentAlone
	p.sentAlone = false
	p.inFlight--
	if response != nil {
		p.learnLimit(response, alone, time.Now())
	}
	close(p.slotsChanged)
	p.slotsChanged = make(chan struct{})
}

// learnLimit updates the limit from an answer. alone means that no other call was in flight.
func (p *Pace) learnLimit(r *Response, alone bool, now time.Time) {
	remaining, told := readCount(r.Header, headerRemaining)
	p.limitKnown = p.limitKnown || told
	switch {
	case r.Status == http.StatusTooManyRequests:
		p.left, p.unlimited = 0, false
		p.extendPause(wire.ParseRetryAfter(r.Header.Get("Retry-After"), now), now)
	case !told:
		p.unlimited = !p.limitKnown
	case alone:
		p.left = remaining
	default:
		p.left = max(min(p.left, remaining-p.inFlight), 0)
	}
	if told && remaining == 0 {
		reset, _ := readCount(r.Header, headerReset)
		p.extendPause(time.Duration(reset)*time.Second, now)
	}
}

// extendPause makes all calls wait. It ignores a wait longer than maxWait, because no call
// waits that long.
func (p *Pace) extendPause(wait time.Duration, now time.Time) {
	until := now.Add(wait)
	if wait > maxWait || !until.After(p.pausedUntil) {
		return
	}
	if p.pausedUntil.After(now) && p.reportedUntil.Equal(p.pausedUntil) {
		p.reportedUntil = until
	}
	p.pausedUntil = until
}

func readCount(h http.Header, name string) (n int, ok bool) {
	v, err := strconv.ParseUint(h.Get(name), 10, 31)
	return int(v), err == nil
}
