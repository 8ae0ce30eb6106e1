package wire

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// HeaderTellWaits with the value 1 requests an answer 102 with HeaderWaitNotice before the final
// answer, for each wait for a model's provider. Callers who do not ask never get such an answer. In
// a stream of events the notice is in a comment that begins with CommentWaiting, which readers of
// events skip.
const (
	HeaderTellWaits  = "X-Tell-Waits"
	HeaderWaitNotice = "X-Wait-Notice"
	CommentWaiting   = "waiting "
)

// The reasons of a WaitNotice. The service sends the first two, the client the others.
const (
	WaitBusy         = "busy"               // the provider is busy
	WaitRateLimit    = "rate-limit"         // the provider's rate limit for the key is reached
	WaitService      = "service"            // the service asks to wait
	WaitServiceLimit = "service-rate-limit" // the service's own rate limit is reached
)

// WaitNotice describes a wait for a model's provider or for the service itself, and its remaining
// time.
type WaitNotice struct {
	Reason  string  `json:"reason"`
	Seconds float64 `json:"seconds"`
}

// Encode writes a notice for a header or a comment.
func (n WaitNotice) Encode() string {
	text, _ := json.Marshal(n) // A text and a number always are JSON.
	return string(text)
}

// Wait is the time of the notice, at most an hour.
func (n WaitNotice) Wait() time.Duration {
	return time.Duration(min(max(n.Seconds, 0), 3600) * float64(time.Second))
}

// Sentence returns who is waited for.
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

// WithWaitNotice returns a context for calls of a service: tell is called when the service reports
// that it waits for a model's provider, and when the client waits before it repeats a call. It may
// be called from another goroutine and must not block.
func WithWaitNotice(ctx context.Context, tell func(WaitNotice)) context.Context {
	return context.WithValue(ctx, waitNoticeKey{}, tell)
}

// WantsWaitNotice reports whether a context is one of WithWaitNotice.
func WantsWaitNotice(ctx context.Context) bool { return ctx.Value(waitNoticeKey{}) != nil }

// ReadWaitNotice calls the callback of WithWaitNotice with the notice in a text. It ignores other
// texts.
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
