package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// Retries, unless a RetryPolicy says otherwise.
const (
	// MaxAttempts is how often a call is sent at most, the first time included.
	MaxAttempts = 4
	// DefaultBackoff is the first wait after a failure that names no wait; each
	// further one is twice as long, and each is shortened by up to half at random.
	DefaultBackoff = 250 * time.Millisecond
	// DefaultMaxBackoff bounds such a wait.
	DefaultMaxBackoff = 4 * time.Second
	// DefaultMaxWait bounds the waits of a call for which the service asks, one and all
	// together. Its limits are per minute, so a longer one is an answer for a person.
	DefaultMaxWait = 2 * time.Minute
)

// RetryPolicy describes how often and how long a call is tried; a zero field is its
// default.
type RetryPolicy struct {
	// Attempts from 1 (never again) to MaxAttempts; more counts as MaxAttempts.
	Attempts int
	// Backoff and MaxBackoff bound the waits after 5xx and connection failures.
	Backoff    time.Duration
	MaxBackoff time.Duration
	// MaxWait bounds the sum of all waits of a call; a Retry-After that goes beyond it
	// ends the call with the error at once.
	MaxWait time.Duration
}

// Retry describes a retry: after Wait, the call is sent again.
type Retry struct {
	Method string
	Path   string
	// Attempt is the number of the attempt that failed with Err, from 1, of Attempts.
	Attempt  int
	Attempts int
	Wait     time.Duration
	Err      error
	// Reason is Err in a few words, without advice: the next step is taken here.
	Reason string
}

// WithRetry is a client of the same service, over the same connections, that
// tries in another way. OnRetry stays the first client's.
func (c *Client) WithRetry(p RetryPolicy) *Client {
	other := *c
	other.retry = p.withDefaults()
	return &other
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	p.Attempts = min(cmp.Or(max(p.Attempts, 0), MaxAttempts), MaxAttempts)
	p.Backoff = cmp.Or(p.Backoff, DefaultBackoff)
	p.MaxBackoff = cmp.Or(p.MaxBackoff, DefaultMaxBackoff)
	p.MaxWait = cmp.Or(p.MaxWait, DefaultMaxWait)
	return p
}

// planRetry reports whether a failed call is sent again, and after which wait. waited is how
// long the call has waited already.
func (c *Client) planRetry(k call, attempt int, waited time.Duration, err error) (wait time.Duration, again bool) {
	if attempt >= c.retry.Attempts || !mayRepeat(k, err) {
		return 0, false
	}
	refusal, ok := errors.AsType[*wire.Error](err)
	if ok && refusal.RetryAfter > 0 {
		return refusal.RetryAfter, waited+refusal.RetryAfter <= c.retry.MaxWait
	}
	return c.backoffWait(attempt), true
}

// announceRetry reports that the call is sent again: to the callback of wire.WithWaitNotice
// where the service asks for a wait of a second or more, else to OnRetry.
func (c *Client) announceRetry(ctx context.Context, r Retry) {
	refusal, ok := errors.AsType[*wire.Error](r.Err)
	if ok && refusal.RetryAfter >= time.Second {
		reason := cmp.Or(refusal.WaitReason, wire.WaitService)
		if isLimited(r.Err) {
			reason = wire.WaitServiceLimit
		}
		if wire.NotifyWait(ctx, wire.WaitNotice{Reason: reason, Seconds: r.Wait.Seconds()}) {
			return
		}
	}
	c.onRetry(r)
}

// retryReason returns in a few words why an attempt failed.
func retryReason(err error) string {
	if isLimited(err) {
		return "the rate limit is reached"
	}
	if refusal, ok := errors.AsType[*wire.Error](err); ok {
		return fmt.Sprintf("the service answered %d", refusal.Status)
	}
	if page, ok := errors.AsType[*NotServiceError](err); ok {
		return page.URL + " " + page.Problem
	}
	if lost, ok := errors.AsType[*UnreachableError](err); ok && !lost.Broken {
		if lost.IsNobody() {
			return "nothing answers at " + lost.URL
		}
		return lost.Problem()
	}
	return "the connection broke off"
}

// backoffWait is the wait after an attempt: twice as long each time, shortened by
// up to half at random.
func (c *Client) backoffWait(attempt int) time.Duration {
	wait := min(c.retry.Backoff<<(attempt-1), c.retry.MaxBackoff)
	return wait - time.Duration(c.rand()*float64(wait/2))
}

// mayRepeat enforces that nothing is done twice. A call that the service refused unprocessed (429)
// or never received may always be sent again. A call that may have been executed is sent again only
// if it is repeatable. If the service rules out a retry (wire.HeaderShouldRetry), there is none.
func mayRepeat(k call, err error) bool {
	if refusal, ok := errors.AsType[*wire.Error](err); ok {
		return !refusal.Final && (refusal.Status == http.StatusTooManyRequests || k.isRepeatable() && isTemporary(refusal.Status))
	}
	if page, ok := errors.AsType[*NotServiceError](err); ok {
		return k.isRepeatable() && isTemporary(page.Status)
	}
	if lost, ok := errors.AsType[*UnreachableError](err); ok {
		return (k.isRepeatable() || !lost.Broken) && !isPermanent(lost.Err)
	}
	return false
}

// isLimited reports whether a call was refused because of a rate limit.
func isLimited(err error) bool {
	refusal, ok := errors.AsType[*wire.Error](err)
	return ok && refusal.Status == http.StatusTooManyRequests
}

// isUnauthenticated reports whether a call was refused because of who made it.
func isUnauthenticated(err error) bool {
	refusal, ok := errors.AsType[*wire.Error](err)
	return ok && refusal.Status == http.StatusUnauthorized
}

// isTemporary reports whether a status may be different in a moment.
func isTemporary(status int) bool {
	switch status {
	case http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// isPermanent reports whether a failed connection will fail again: the name does not
// exist, or the certificate is not trusted.
func isPermanent(err error) bool {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.IsNotFound
	}
	lost := UnreachableError{Err: err}
	return lost.isUntrusted() || lost.isPlain()
}
