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

// ErrStopped means that a Pace was stopped before an attempt of the call. It wraps context.Canceled.
var ErrStopped = fmt.Errorf("the call was not sent: %w", context.Canceled)

// Pace keeps concurrent calls within one rate limit of the service. When no calls remain, or after
// a 429 with a Retry-After, all calls wait for the reset. NewPace creates a Pace. It is safe for
// concurrent use.
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

// WithPace returns a copy of the client that waits for p before each attempt, also of a stream.
// After a 429, p replaces OnRetry. The copy shares the connections.
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
		if err := p.sleep(ctx, wait, sleep); err != nil {
			return err
		}
	}
	return nil
}

// sleep calls a function such as Options.Sleep with a context that also ends when p is stopped.
func (p *Pace) sleep(ctx context.Context, wait time.Duration, do func(context.Context, time.Duration) error) error {
	if p == nil {
		return do(ctx, wait)
	}
	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-p.stop:
			cancel(ErrStopped)
		case <-bounded.Done():
		}
	}()
	return do(bounded, wait)
}

func (p *Pace) remainingPause() time.Duration {
	if p == nil {
		return 0
	}
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
func (p *Pace) learnLimit(status int, header http.Header) {
	if p == nil {
		return
	}
	now := time.Now()
	var wait time.Duration
	if status == http.StatusTooManyRequests {
		wait = wire.ParseRetryAfter(header.Get(wire.HeaderRetryAfter), now)
	} else if reset, err := strconv.Atoi(header.Get(headerReset)); err == nil && header.Get(headerRemaining) == "0" {
		wait = time.Duration(reset) * time.Second
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := now.Add(wait); wait > 0 && wait <= maxWait && until.After(p.pausedUntil) {
		p.reported = p.reported && p.pausedUntil.After(now)
		p.pausedUntil = until
	}
}
