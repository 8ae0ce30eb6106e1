package localserver

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/wire"
)

// waitNotice is a wait as it crosses the network.
func waitNotice(n llm.WaitNotice) wire.WaitNotice {
	reason := wire.WaitBusy
	if n.RateLimited {
		reason = wire.WaitRateLimit
	}
	return wire.WaitNotice{Reason: reason, Seconds: n.For.Seconds()}
}

// WithWaitNotice returns a context for a Drafter: tell is called before each wait for the model's
// provider. It must not block.
func WithWaitNotice(ctx context.Context, tell func(wire.WaitNotice)) context.Context {
	return llm.WithWaitNotice(ctx, func(n llm.WaitNotice) { tell(waitNotice(n)) })
}

// withWaitNotices returns a context that reports waits for a model's provider to a caller who asks
// for that, each as an answer 102 before the final one. Only callers who ask get them, because some
// HTTP libraries take any 1xx for the answer.
func withWaitNotices(ctx context.Context, c *call) context.Context {
	r, w := humago.Unwrap(c.humaContext)
	if r.Header.Get(wire.HeaderTellWaits) != "1" || r.ProtoMajor == 1 && r.ProtoMinor == 0 {
		return ctx
	}
	return llm.WithWaitNotice(ctx, func(n llm.WaitNotice) {
		w.Header().Set(wire.HeaderWaitNotice, waitNotice(n).Encode())
		w.WriteHeader(http.StatusProcessing)
		w.Header().Del(wire.HeaderWaitNotice)
	})
}
