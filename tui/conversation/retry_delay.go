package conversation

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// The waits before a turn is sent again. After a lost connection or a temporary error of the
// service (500, 502, 503, 504, 409), the waits double from firstWait to longestWait. limitedWait is
// the wait after a 429 without Retry-After.
//
// After a temporary error a turn is sent again at most MaxRetries times. After a lost connection or
// a rate limit, the full screen sends the turn again until the player stops it, and line mode at
// most MaxRetries times.
//
// After a temporary error a turn is not sent again if the service asks for a wait longer than
// longestAsked, or if the service marks the error as final and asks for no wait.
const (
	firstWait   = time.Second
	longestWait = 15 * time.Second
	limitedWait = 5 * time.Second
	MaxRetries  = 3

	longestAsked = 2 * time.Minute
)

// RateLimited is the reason that RetryDelay returns for a rate limit.
const RateLimited = "the rate limit is reached"

// RetryDelay returns how long to wait before a failed turn is sent again, and the reason in a few
// words. If the turn must not be sent again, it returns 0. retries is the number of earlier
// retries.
func (r *Requester) RetryDelay(err error, retries int) (wait time.Duration, why string) {
	backoff := min(firstWait<<min(retries, 10), longestWait)
	refusal, refused := errors.AsType[*wire.Error](err)
	switch {
	case IsRateLimited(err):
		return cmp.Or(refusal.RetryAfter, limitedWait), RateLimited
	case r.Lost(err):
		// Omit the advice after the semicolon. The retry is automatic, and the text must fit on one
		// line.
		why, _, _ = strings.Cut(r.ExplainError(err), "; ")
		return backoff, why
	case refused && isTransient(refusal) && retries < MaxRetries && refusal.RetryAfter <= longestAsked:
		return max(backoff, refusal.RetryAfter), r.ExplainError(err)
	}
	return 0, ""
}

// IsRateLimited reports whether the service rejected a call because of its rate limit (429).
func IsRateLimited(err error) bool {
	return wire.ErrorStatus(err) == http.StatusTooManyRequests
}

// IsEnded reports whether the service rejected a turn because the part has already ended, for
// example in another window.
func IsEnded(err error) bool {
	refusal, ok := errors.AsType[*wire.Error](err)
	return ok && refusal.Code == wire.CodeFinished
}

// isTransient reports whether an error may be temporary: a failure of the service or its model, or
// a conflict with another turn of the session.
func isTransient(refusal *wire.Error) bool {
	if refusal.Final && refusal.RetryAfter == 0 {
		return false
	}
	switch refusal.Status {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	case http.StatusConflict:
		return refusal.Code == wire.CodeConflict
	}
	return false
}
