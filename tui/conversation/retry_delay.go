package conversation

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// The waits before a turn is sent again. After a lost connection and after a refusal
// that may be over in a moment (500, 502, 503, 504, 409) they double, from firstWait
// to longestWait. limitedWait is the one after a rate limit that names none.
//
// A turn that was refused so is sent again MaxRetries times: four times in all. After
// a lost connection or a rate limit the full screen sends it until the player stops
// that; line mode sends no turn again more than MaxRetries times.
//
// longestAsked is the longest wait after such a refusal that is counted down. A refusal
// that the service calls final, without a wait, is not sent again.
const (
	firstWait   = time.Second
	longestWait = 15 * time.Second
	limitedWait = 5 * time.Second
	MaxRetries  = 3

	longestAsked = 2 * time.Minute
)

// RateLimited is why a turn waits for the rate limit.
const RateLimited = "the rate limit is reached"

// RetryDelay is how long to wait before a turn is sent again, 0 for not at all,
// and why in a few words. retries is how often it was sent again already.
func (r *Requester) RetryDelay(err error, retries int) (wait time.Duration, why string) {
	backoff := min(firstWait<<min(retries, 10), longestWait)
	refusal, refused := errors.AsType[*wire.Error](err)
	switch {
	case IsRateLimited(err):
		return cmp.Or(refusal.RetryAfter, limitedWait), RateLimited
	case r.IsLost(err):
		// Drop the advice, because it is retried automatically, and fits on one line.
		why, _, _ = strings.Cut(r.ExplainError(err), "; ")
		return backoff, why
	case refused && isTransient(refusal) && retries < MaxRetries && refusal.RetryAfter <= longestAsked:
		return max(backoff, refusal.RetryAfter), r.ExplainError(err)
	}
	return 0, ""
}

// IsRateLimited reports whether an error is a refusal by the rate limit (429).
func IsRateLimited(err error) bool {
	refusal, ok := errors.AsType[*wire.Error](err)
	return ok && refusal.Status == http.StatusTooManyRequests
}

// IsEnded reports whether an error is a refusal because the part has ended, as it does in another window.
func IsEnded(err error) bool {
	refusal, ok := errors.AsType[*wire.Error](err)
	return ok && refusal.Code == wire.CodeFinished
}

// isTransient reports whether a refusal may be over in a moment: a failure of the
// service or its model, and a race with another turn of the session.
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
