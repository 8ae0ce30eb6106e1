package conversation

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// Limits for retries. The backoff doubles from firstWait to longestWait. MaxRetries applies to a 5xx
// or 409 and, in line mode, to all errors. limitedWait is the default after a 429. longestAsked is
// the largest Retry-After of a 5xx or 409 that is obeyed.
const (
	firstWait   = time.Second
	longestWait = 15 * time.Second
	limitedWait = 5 * time.Second
	MaxRetries  = 3

	longestAsked = 2 * time.Minute
)

// RateLimited is the reason for a retry after a rate limit.
const RateLimited = "the rate limit is reached"

// RetryDelay returns the delay before the next retry, and the reason. A delay of 0 forbids a retry.
// retries is the number of earlier retries.
func (r *Requester) RetryDelay(err error, retries int) (wait time.Duration, why string) {
	backoff := min(firstWait<<min(retries, 10), longestWait)
	refusal, refused := errors.AsType[*wire.Error](err)
	switch {
	case IsRateLimited(err):
		return cmp.Or(refusal.RetryAfter, limitedWait), RateLimited
	case r.Lost(err):
		// The advice after the semicolon is useless for an automatic retry.
		why, _, _ = strings.Cut(r.ExplainError(err), "; ")
		return backoff, why
	case refused && isTransient(refusal) && retries < MaxRetries && refusal.RetryAfter <= longestAsked:
		return max(backoff, refusal.RetryAfter), r.ExplainError(err)
	}
	return 0, ""
}

// IsRateLimited reports whether the service returned 429.
func IsRateLimited(err error) bool {
	return wire.ErrorStatus(err) == http.StatusTooManyRequests
}

// IsEnded reports whether the service rejected a turn because the part has ended.
func IsEnded(err error) bool {
	refusal, ok := errors.AsType[*wire.Error](err)
	return ok && refusal.Code == wire.CodeFinished
}

func isTransient(refusal *wire.Error) bool {
	if refusal.Final && refusal.RetryAfter == 0 {
		return false
	}
	switch refusal.Status {
	case http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case http.StatusConflict:
		return refusal.Code == wire.CodeConflict
	}
	return false
}
