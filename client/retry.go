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

// Default limits of a RetryPolicy. MaxAttempts is also its upper limit.
const (
	// MaxAttempts is the maximum number of times that a call is sent, including the first.
	MaxAttempts = 4
	// DefaultBackoff is the first wait if the service does not request one. Each further wait is
	// twice as long. A random amount of up to half is subtracted from each wait.
	DefaultBackoff = 250 * time.Millisecond
	// DefaultMaxBackoff is the longest wait that the service did not request.
	DefaultMaxBackoff = 4 * time.Second
	// DefaultMaxWait is the maximum total time that one call waits at the service's request. It is
	// enough for the service's rate limits, which are per minute. If the service requests more, the
	// call fails.
	DefaultMaxWait = 2 * time.Minute
)

// RetryPolicy limits the retries of a call. A zero field means its default.
type RetryPolicy struct {
	// Attempts is 1 (no retry) to MaxAttempts. A larger number means MaxAttempts.
	Attempts int
	// Backoff is the first and MaxBackoff the longest wait that the service did not request.
	Backoff    time.Duration
	MaxBackoff time.Duration
	// MaxWait is the maximum sum of all waits of a call. The call fails at once if a Retry-After
	// would exceed it.
	MaxWait time.Duration
}

// Retry describes a failed attempt. The call is sent again after Wait.
type Retry struct {
	Method string
	Path   string
	// Attempt is the number of the attempt that failed with Err, from 1. Attempts is the maximum
	// number of attempts.
	Attempt  int
	Attempts int
	Wait     time.Duration
	Err      error
	// Reason is Err in a few words. It omits the advice to try again, because the client does that
	// itself.
	Reason string
}

// WithRetry returns a copy of the client with the retry policy p. The copy shares the connections
// and OnRetry.
func (c *Client) WithRetry(p RetryPolicy) *Client {
	other := *c
	other.options.Retry = p.withDefaults()
	return &other
}

func (p RetryPolicy) withDefaults() RetryPolicy {
	p.Attempts = min(cmp.Or(max(p.Attempts, 0), MaxAttempts), MaxAttempts)
	p.Backoff = cmp.Or(p.Backoff, DefaultBackoff)
	p.MaxBackoff = cmp.Or(p.MaxBackoff, DefaultMaxBackoff)
	p.MaxWait = cmp.Or(p.MaxWait, DefaultMaxWait)
	return p
}

func (c *Client) planRetry(k call, attempt int, waited time.Duration, err error) (wait time.Duration, again bool) {
	if attempt >= c.options.Retry.Attempts || !mayRepeat(k, err) {
		return 0, false
	}
	refusal, ok := errors.AsType[*wire.Error](err)
	if ok && refusal.RetryAfter > 0 {
		return refusal.RetryAfter, waited+refusal.RetryAfter <= c.options.Retry.MaxWait
	}
	wait = min(c.options.Retry.Backoff<<(attempt-1), c.options.Retry.MaxBackoff)
	return wait - time.Duration(c.options.Rand()*float64(wait/2)), true
}

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
	c.options.OnRetry(r)
}

func retryReason(err error) string {
	if isLimited(err) {
		return "the rate limit is reached"
	}
	if refusal, ok := errors.AsType[*wire.Error](err); ok {
		return fmt.Sprintf("the service answered with status %d", refusal.Status)
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

// mayRepeat reports whether a failed call may be sent again. It may not if the service could then
// execute the call twice. The service may forbid a retry (wire.HeaderShouldRetry).
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

func isLimited(err error) bool {
	return wire.ErrorStatus(err) == http.StatusTooManyRequests
}

func isTemporary(status int) bool {
	switch status {
	case http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// isPermanent reports whether another attempt to connect would fail too. That is so for an unknown
// host name, an untrusted certificate, and a server without TLS.
func isPermanent(err error) bool {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.IsNotFound
	}
	lost := UnreachableError{Err: err}
	return lost.isUntrusted() || lost.isPlain()
}
