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

const (
	// MaxAttempts is the default and the upper limit of Options.Attempts.
	MaxAttempts = 4
	// firstBackoff is the first wait if the service does not request one. Each further wait is twice as
	// long, up to maxBackoff. A random amount of up to half is subtracted from each wait.
	firstBackoff = 250 * time.Millisecond
	maxBackoff   = 4 * time.Second
	// maxWait is the maximum sum of all waits of a call. It is enough for the service's rate limits,
	// which are per minute. If the service requests more, the call fails.
	maxWait = 2 * time.Minute
)

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

// WithAttempts returns a copy of the client that sends a call at most n times. The copy shares the
// connections and OnRetry.
func (c *Client) WithAttempts(n int) *Client {
	other := *c
	other.options.Attempts = n
	return &other
}

func (c *Client) planRetry(k call, attempt int, waited time.Duration, err error) (wait time.Duration, again bool) {
	if attempt >= c.options.Attempts || !mayRepeat(k, err) {
		return 0, false
	}
	refusal, ok := errors.AsType[*wire.Error](err)
	if ok && refusal.RetryAfter > 0 {
		return refusal.RetryAfter, waited+refusal.RetryAfter <= maxWait
	}
	wait = min(firstBackoff<<(attempt-1), maxBackoff)
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
