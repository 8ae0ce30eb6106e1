package wire

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// HeaderTellWaits with the value 1 requests wait notices. The server then sends a 102 response with
// HeaderWaitNotice each time it waits for a model's provider. In an event stream the notice is a
// comment that starts with CommentWaiting, which event parsers skip.
const (
	HeaderTellWaits  = "X-Tell-Waits"
	HeaderWaitNotice = "X-Wait-Notice"
	CommentWaiting   = "waiting "
)

// The reasons of a WaitNotice. The service sends the first two. The client itself uses the others.
const (
	WaitBusy         = "busy"               // the provider is busy
	WaitRateLimit    = "rate-limit"         // the provider's rate limit for the key is reached
	WaitService      = "service"            // the service asked the client to wait
	WaitServiceLimit = "service-rate-limit" // the service's own rate limit is reached
)

// WaitNotice reports a wait for a model's provider or for the service itself, and the remaining
// time.
type WaitNotice struct {
	Reason  string  `json:"reason"`
	Seconds float64 `json:"seconds"`
}

// Encode returns the notice as JSON, for a header or a comment.
func (n WaitNotice) Encode() string {
	text, _ := json.Marshal(n) // A string and a number can always be encoded.
	return string(text)
}

// Wait returns the remaining time, at most an hour.
func (n WaitNotice) Wait() time.Duration {
	return time.Duration(min(max(n.Seconds, 0), 3600) * float64(time.Second))
}

// Sentence returns the reason for the wait as a sentence without a full stop.
func (n WaitNotice) Sentence() string {
	switch n.Reason {
	case WaitRateLimit:
		return "the model's provider has reached its rate limit"
	case WaitService:
		return "the service cannot answer now"
	case WaitServiceLimit:
		return "the service's rate limit is reached"
	}
	return "the model's provider is busy"
}

type waitNoticeKey struct{}

// WithWaitNotice returns a context for calls of a service. tell is called when the service reports
// that it waits for a model's provider, and when the client waits before it repeats a call. tell
// may be called from another goroutine and must not block.
func WithWaitNotice(ctx context.Context, tell func(WaitNotice)) context.Context {
	return context.WithValue(ctx, waitNoticeKey{}, tell)
}

// WantsWaitNotice reports whether a context was returned by WithWaitNotice.
func WantsWaitNotice(ctx context.Context) bool { return ctx.Value(waitNoticeKey{}) != nil }

// ReadWaitNotice parses a notice and calls the callback of WithWaitNotice. It ignores a text that
// is not a notice.
func ReadWaitNotice(ctx context.Context, text string) {
	var n WaitNotice
	if json.Unmarshal([]byte(strings.TrimSpace(text)), &n) == nil && n.Reason != "" {
		NotifyWait(ctx, n)
	}
}

// NotifyWait calls the callback of WithWaitNotice and reports whether there is one.
func NotifyWait(ctx context.Context, n WaitNotice) bool {
	tell, ok := ctx.Value(waitNoticeKey{}).(func(WaitNotice))
	if ok {
		tell(n)
	}
	return ok
}
