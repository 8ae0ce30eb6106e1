package client

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/parley-npc/parley/personas/remote"
)

// Headers of the IETF draft for the rest of a rate limit, and for the seconds until it is reset.
const (
	headerRemaining = "RateLimit-Remaining"
	headerReset     = "RateLimit-Reset"
)

// ErrStopped means that a call was not sent, because its pace was stopped. It is a
// context.Canceled too.
var ErrStopped = fmt.Errorf("the call was not sent: %w", context.Canceled)

// Pace limits many concurrent calls to the service's rate limit, as far as its answers report it:
// when nothing is left, or a call was refused with 429, all calls wait together, then one goes
// first and finds out how many may follow. If the service reports no limit, calls are not delayed.
// It is safe for concurrent use. Make one with NewPace; all its calls should count against one
// limit.
type Pace struct {
	stop    <-chan struct{}
	onPause func(wait time.Duration)

	mu sync.Mutex
	// left is how many calls may be sent besides those under way. It never exceeds the service's
	// rest: only the answer to a call that was sent alone raises it, because answers can overtake
	// each other.
	left          int
	inFlight      int  // calls on their way
	sentAlone     bool // the call on its way was sent when no other was
	limitKnown    bool // the service tells its limit
	unlimited     bool // it has answered and tells none
	pausedUntil   time.Time
	reportedUntil time.Time // the end of the last pause that onPause was told of
	slotsChanged  chan struct{}
}

// NewPace returns a pace without knowledge of the limit. When stop is closed, calls that have not
// been sent end with ErrStopped; those under way go on. onPause is called once for each pause, and
// may be nil.
func NewPace(stop <-chan struct{}, onPause func(wait time.Duration)) *Pace {
	if onPause == nil {
		onPause = func(time.Duration) {}
	}
	return &Pace{stop: stop, onPause: onPause, slotsChanged: make(chan struct{})}
}

// WithPace returns a client of the same service, with the same connections, that keeps a pace. A
// call that was refused with 429 waits as the others do, without a call of OnRetry.
func (c *Client) WithPace(p *Pace) *Client {
	other := *c
	other.pace = p
	return &other
}

// acquireSlot waits until a call may be sent. Every call that got a slot must
// releaseSlot.
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

// admitCall lets a call go, or returns how long to wait; a wait of 0 lasts until slotsChanged is
// closed.
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

// awaitSlot waits for the time to pass, for a change of the slots, or for the end
// of the call.
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

// reportPause calls onPause, once for each pause.
func (p *Pace) reportPause(wait time.Duration) {
	p.mu.Lock()
	first := p.reportedUntil.Before(p.pausedUntil)
	p.reportedUntil = p.pausedUntil
	p.mu.Unlock()
	if first {
		p.onPause(wait)
	}
}

// releaseSlot releases the slot and learns the limit from the response, which is nil if there was
// none.
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

// learnLimit reads the rate limit from the headers of an answer.
func (p *Pace) learnLimit(r *Response, alone bool, now time.Time) {
	remaining, told := readCount(r.Header, headerRemaining)
	p.limitKnown = p.limitKnown || told
	switch {
	case r.Status == http.StatusTooManyRequests:
		p.left, p.unlimited = 0, false
		p.extendPause(remote.ParseRetryAfter(r.Header.Get("Retry-After"), now), now)
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

// extendPause makes all calls wait. A wait longer than DefaultMaxWait is ignored,
// since no call would wait that long. A pause that gets longer is still the same
// pause and is reported once.
func (p *Pace) extendPause(wait time.Duration, now time.Time) {
	until := now.Add(wait)
	if wait > DefaultMaxWait || !until.After(p.pausedUntil) {
		return
	}
	if p.pausedUntil.After(now) && p.reportedUntil.Equal(p.pausedUntil) {
		p.reportedUntil = until
	}
	p.pausedUntil = until
}

// readCount reads a header that is a whole number of at most 31 bits.
func readCount(h http.Header, name string) (n int, ok bool) {
	v, err := strconv.ParseUint(h.Get(name), 10, 31)
	return int(v), err == nil
}
