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
	// firstBackoff is the first wait if the service requests none. Each further wait doubles up to
	// maxBackoff. A random part of up to half is subtracted.
	firstBackoff = 250 * time.Millisecond
	maxBackoff   = 4 * time.Second
	// maxWait limits the sum of all waits of a call. Two minutes cover the service's rate limits
	// per minute.
	maxWait = 2 * time.Minute
)

// Retry describes a failed attempt before the next one.
type Retry struct {
	Method string
	Path   string
	// Attempt counts from 1. Attempts is the maximum.
	Attempt  int
	Attempts int
	Wait     time.Duration
	Err      error
	// Reason is a short form of Err without advice.
	Reason string
}

// WithAttempts returns a copy of the client with another maximum number of attempts. The copy
// shares the connections and OnRetry.
func (c *Client) WithAttempts(n int) *Client {
	other := *c
	other.options.Attempts = n
	return &other
}

// waitAfter returns the longest of the backoff, the wait that the service requests and the pause of
// the Pace.
func (c *Client) waitAfter(attempt int, err error) time.Duration {
	backoff := min(firstBackoff<<(attempt-1), maxBackoff)
	backoff -= time.Duration(c.options.Rand() * float64(backoff/2))
	wait := max(backoff, c.pace.remainingPause())
	if refusal, ok := errors.AsType[*wire.Error](err); ok {
		wait = max(wait, refusal.RetryAfter)
	}
	return wait
}

func (c *Client) announceRetry(ctx context.Context, r Retry) {
	if c.pace != nil && isLimited(r.Err) {
		return // A Pace reports its pauses.
	}
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

func mayRepeat(spec call, err error) bool {
	if refusal, ok := errors.AsType[*wire.Error](err); ok {
		if refusal.Status == http.StatusTooManyRequests {
			return !refusal.Final
		}
		return !refusal.Final && spec.isRepeatable() && isTemporary(refusal.Status)
	}
	if page, ok := errors.AsType[*NotServiceError](err); ok {
		return spec.isRepeatable() && isTemporary(page.Status)
	}
	if lost, ok := errors.AsType[*UnreachableError](err); ok {
		return (spec.isRepeatable() || !lost.Broken) && !isPermanent(lost.Err)
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

func isPermanent(err error) bool {
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		return dns.IsNotFound
	}
	lost := UnreachableError{Err: err}
	return lost.isUntrusted() || lost.isPlain()
}
