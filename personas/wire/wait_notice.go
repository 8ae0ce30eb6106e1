package wire

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// Names for wait notices. A request enables them with the value 1 in HeaderTellWaits. For each
// wait, the server sends HeaderWaitNotice in a 102 response. In an event stream, it sends a comment
// that starts with CommentWaiting.
const (
	HeaderTellWaits  = "X-Tell-Waits"
	HeaderWaitNotice = "X-Wait-Notice"
	CommentWaiting   = "waiting "
)

// Values of WaitNotice.Reason. The service sends the first two. The client adds the others.
const (
	WaitBusy         = "busy"               // the provider is busy
	WaitRateLimit    = "rate-limit"         // the provider's rate limit for the key is reached
	WaitService      = "service"            // the service asked the client to wait
	WaitServiceLimit = "service-rate-limit" // the service's own rate limit is reached
)

// WaitNotice reports a wait for the service or for a model provider. Seconds is the remaining time.
type WaitNotice struct {
	Reason  string  `json:"reason"`
	Seconds float64 `json:"seconds"`
}

// Encode returns the notice as JSON.
func (n WaitNotice) Encode() string {
	text, _ := json.Marshal(n)
	return string(text)
}

// Wait returns the remaining time, limited to one hour.
func (n WaitNotice) Wait() time.Duration {
	return time.Duration(min(max(n.Seconds, 0), 3600) * float64(time.Second))
}

// Sentence returns the reason as a sentence without a full stop.
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

// WithWaitNotice returns a context with a callback for waits of the service or the client. The
// callback may run in another goroutine and must not block.
func WithWaitNotice(ctx context.Context, callback func(WaitNotice)) context.Context {
	return context.WithValue(ctx, waitNoticeKey{}, callback)
}

// WantsWaitNotice reports whether ctx has a callback of WithWaitNotice.
func WantsWaitNotice(ctx context.Context) bool { return ctx.Value(waitNoticeKey{}) != nil }

// ReadWaitNotice parses a notice and calls the callback of WithWaitNotice. It ignores invalid text.
func ReadWaitNotice(ctx context.Context, text string) {
	var n WaitNotice
	if json.Unmarshal([]byte(strings.TrimSpace(text)), &n) == nil && n.Reason != "" {
		NotifyWait(ctx, n)
	}
}

// NotifyWait calls the callback of WithWaitNotice. It returns false if ctx has no callback.
func NotifyWait(ctx context.Context, n WaitNotice) bool {
	callback, ok := ctx.Value(waitNoticeKey{}).(func(WaitNotice))
	if ok {
		callback(n)
	}
	return ok
}
