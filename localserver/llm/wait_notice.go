package llm

import (
	"context"
	"time"
)

// A WaitNotice is sent before a wait for a model's provider.
type WaitNotice struct {
	// RateLimited means that a rate limit was reached. Otherwise the provider is busy.
	RateLimited bool
	// For is the duration of the wait.
	For time.Duration
}

type waitNoticeKey struct{}

// WithWaitNotice returns a context in which tell is called before each wait of a second or more.
// The goroutine that is about to wait calls tell, so tell must not block.
func WithWaitNotice(ctx context.Context, tell func(WaitNotice)) context.Context {
	return context.WithValue(ctx, waitNoticeKey{}, tell)
}

// TellWait calls the function that WithWaitNotice has set, if any. It does not call it for a wait
// of less than a second.
func TellWait(ctx context.Context, n WaitNotice) {
	if tell, ok := ctx.Value(waitNoticeKey{}).(func(WaitNotice)); ok && n.For >= time.Second {
		tell(n)
	}
}
