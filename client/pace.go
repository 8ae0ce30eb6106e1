package client

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/parley-npc/parley/personas/retry"
)

// Headers of the IETF draft in which a service tells what is left of its rate
// limit, and in how many seconds more will be.
const (
	headerRemaining = "RateLimit-Remaining"
	headerReset     = "RateLimit-Reset"
)

// ErrStopped says that a call was not sent, because its pace was stopped. It is a
// context.Canceled too.
var ErrStopped = fmt.Errorf("the call was not sent: %w", context.Canceled)

// Pace lets many calls at once go no faster than the service's rate limit, as far
// as its answers tell it: when nothing is left, or a call was refused with 429,
// all calls wait together, then one goes first and finds out how many may follow
// (docs/decisions/client.md, pace).
// Where a service tells no limit, calls go as they come. It is safe for concurrent
// use. Make one with NewPace; all its calls should count against one limit.
type Pace struct {
	stop    <-chan struct{}
	onPause func(wait time.Duration)

	mu sync.Mutex
	// left is how many calls may be sent besides those that are on their way. It
	// is never more than the service has left: only the answer to a call that was
	// alone raises it, as answers can overtake each other.
	left     int
	flying   int  // calls on their way
	alone    bool // the one on its way was sent alone
	told     bool // the service tells its limit
	free     bool // it has answered and tells none
	until    time.Time
	paused   time.Time // the until of which onPause was told
	loosened chan struct{}
}

// NewPace is a pace that knows nothing yet. When stop is closed, calls that have
// not been sent give up with context.Canceled; those on their way are not touched.
// onPause is told once of each pause, and may be nil.
func NewPace(stop <-chan struct{}, onPause func(wait time.Duration)) *Pace {
	if onPause == nil {
		onPause = func(time.Duration) {}
	}
	return &Pace{stop: stop, onPause: onPause, loosened: make(chan struct{})}
}

// WithPace is a client of the same service, over the same connections, whose calls
// keep a pace. A call that was refused with 429 waits as all the others do; OnRetry
// is not told of it.
func (c *Client) WithPace(p *Pace) *Client {
	other := *c
	other.pace = p
	return &other
}

// enter waits until a call may be sent. Who enters must leave.
func (p *Pace) enter(ctx context.Context) error {
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
		wait, loosened, ok := p.admit(time.Now())
		if ok {
			return nil
		}
		p.await(ctx, wait, loosened)
	}
}

// admit lets a call go, or says how long to wait; 0 is until loosened is closed.
func (p *Pace) admit(now time.Time) (wait time.Duration, loosened <-chan struct{}, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	wait = max(p.until.Sub(now), 0)
	switch {
	case wait > 0:
		return wait, p.loosened, false
	case p.free:
	case p.left > 0:
		p.left--
	case p.flying == 0:
		p.alone = true
	default:
		return 0, p.loosened, false
	}
	p.flying++
	return 0, nil, true
}

func (p *Pace) await(ctx context.Context, wait time.Duration, loosened <-chan struct{}) {
	var over <-chan time.Time
	if wait > 0 {
		p.tell(wait)
		timer := time.NewTimer(wait)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-p.stop:
	case <-ctx.Done():
	case <-loosened:
	case <-over:
	}
}

// tell tells of a pause, unless that was done.
func (p *Pace) tell(wait time.Duration) {
	p.mu.Lock()
	first := p.paused.Before(p.until)
	p.paused = p.until
	p.mu.Unlock()
	if first {
		p.onPause(wait)
	}
}

// leave takes in what the answer to a call says; nil is that there was none.
func (p *Pace) leave(response *Response) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	alone := p.alone
	p.alone = false
	p.flying--
	if response != nil {
		p.learn(response, alone, time.Now())
	}
	close(p.loosened)
	p.loosened = make(chan struct{})
}

func (p *Pace) learn(r *Response, alone bool, now time.Time) {
	remaining, told := seconds(r.Header, headerRemaining)
	p.told = p.told || told
	switch {
	case r.Status == http.StatusTooManyRequests:
		p.left, p.free = 0, false
		p.hold(retry.ParseAfter(r.Header.Get("Retry-After"), now), now)
	case !told:
		p.free = !p.told
	case alone:
		p.left = remaining
	default:
		p.left = max(min(p.left, remaining-p.flying), 0)
	}
	if told && remaining == 0 {
		reset, _ := seconds(r.Header, headerReset)
		p.hold(time.Duration(reset)*time.Second, now)
	}
}

// hold makes all calls wait. A wait that no call would wait for is none, and a
// pause that gets longer is the same one.
func (p *Pace) hold(wait time.Duration, now time.Time) {
	until := now.Add(wait)
	if wait > DefaultMaxWait || !until.After(p.until) {
		return
	}
	if p.until.After(now) && p.paused.Equal(p.until) {
		p.paused = until
	}
	p.until = until
}

// seconds reads a header that is a whole number, at most that of a month's seconds.
func seconds(h http.Header, name string) (n int, ok bool) {
	v, err := strconv.ParseUint(h.Get(name), 10, 31)
	return int(v), err == nil
}
