package llm

import (
	"context"
	"time"
)

// WaitNotice means that a model's provider is waited for.
type WaitNotice struct {
	// RateLimited means that a rate limit is reached; else the provider is busy.
	RateLimited bool
	// For is the time until the provider is asked again.
	For time.Duration
}

type waitNoticeKey struct{}

// WithWaitNotice returns a context with a callback for each wait of a second or more. The asking
// goroutine calls tell before the wait; tell must not block.
func WithWaitNotice(ctx context.Context, tell func(WaitNotice)) context.Context {
	return context.WithValue(ctx, waitNoticeKey{}, tell)
}

// TellWait calls the callback of WithWaitNotice in ctx, if there is one, for a wait of at least a
// second.
func TellWait(ctx context.Context, n WaitNotice) {
	if tell, ok := ctx.Value(waitNoticeKey{}).(func(WaitNotice)); ok && n.For >= time.Second {
		tell(n)
	}
}
