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

// Headers of the IETF draft on rate limits: the number of remaining calls, and the seconds until
// the reset.
const (
	headerRemaining = "RateLimit-Remaining"
	headerReset     = "RateLimit-Reset"
)

// ErrStopped means that a Pace was stopped before the call was sent. It wraps context.Canceled.
var ErrStopped = fmt.Errorf("the call was not sent: %w", context.Canceled)

// Pace keeps concurrent calls within one rate limit of the service. When no calls remain, or after
// a 429, all calls wait for the reset. NewPace creates a Pace. It is safe for concurrent use.
type Pace struct {
	stop    <-chan struct{}
	onPause func(wait time.Duration)

	mu          sync.Mutex
	pausedUntil time.Time
	reported    bool // to onPause
}

// NewPace returns a Pace. After stop is closed, unsent calls fail with ErrStopped. onPause, unless
// nil, is called once for each pause.
func NewPace(stop <-chan struct{}, onPause func(wait time.Duration)) *Pace {
	if onPause == nil {
		onPause = func(time.Duration) {}
	}
	return &Pace{stop: stop, onPause: onPause}
}

// WithPace returns a copy of the client that waits for p before each attempt. After a 429, p
// replaces the wait for a retry and OnRetry. The copy shares the connections.
func (c *Client) WithPace(p *Pace) *Client {
	other := *c
	other.pace = p
	return &other
}

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

// learnLimit ignores a wait longer than maxWait, because no call waits that long.
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
