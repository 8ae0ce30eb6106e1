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

// A Pace keeps concurrent calls within the rate limit of the service. When no calls remain, or a
// call fails with 429, all calls wait until the limit is reset. All calls of a Pace should have the
// same limit. NewPace creates a Pace, which is safe for concurrent use.
type Pace struct {
	stop    <-chan struct{}
	onPause func(wait time.Duration)

	mu          sync.Mutex
	pausedUntil time.Time
	reported    bool // onPause was called for this pause
}

// NewPace returns a Pace. After stop is closed, unsent calls fail with ErrStopped. onPause is
// called once for each pause, unless it is nil.
func NewPace(stop <-chan struct{}, onPause func(wait time.Duration)) *Pace {
	if onPause == nil {
		onPause = func(time.Duration) {}
	}
	return &Pace{stop: stop, onPause: onPause}
}

// WithPace returns a client of the same service that uses the same connections. p delays the calls
// of the new client. After a 429, p also delays the retry, and OnRetry is not called.
func (c *Client) WithPace(p *Pace) *Client {
	other := *c
	other.pace = p
	return &other
}

// awaitTurn waits until the pause is over.
func (p *Pace) awaitTurn(ctx context.Context) error {
	for p != nil {
		select {
		case <-p.stop:
			return ErrStopped
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
		wait := p.remainingPause()
		if wait <= 0 {
			return nil
		}
		select {
		case <-p.stop:
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
	return nil
}

func (p *Pace) remainingPause() time.Duration {
	p.mu.Lock()
	wait := time.Until(p.pausedUntil)
	first := wait > 0 && !p.reported
	p.reported = p.reported || first
	p.mu.Unlock()
	if first {
		p.onPause(wait)
	}
	return wait
}

// learnLimit makes all calls wait if an answer shows that no calls remain. It ignores a wait longer
// than maxWait, because no call waits that long.
func (p *Pace) learnLimit(r *Response) {
	if p == nil || r == nil {
		return
	}
	now := time.Now()
	var wait time.Duration
	if r.Status == http.StatusTooManyRequests {
		wait = wire.ParseRetryAfter(r.Header.Get(wire.HeaderRetryAfter), now)
	} else if reset, err := strconv.Atoi(r.Header.Get(headerReset)); err == nil && r.Header.Get(headerRemaining) == "0" {
		wait = time.Duration(reset) * time.Second
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := now.Add(wait); wait > 0 && wait <= maxWait && until.After(p.pausedUntil) {
		p.reported = p.reported && p.pausedUntil.After(now)
		p.pausedUntil = until
	}
}
