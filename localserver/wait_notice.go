package localserver

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas/wire"
)

func waitNotice(n llm.WaitNotice) wire.WaitNotice {
	reason := wire.WaitBusy
	if n.RateLimited {
		reason = wire.WaitRateLimit
	}
	return wire.WaitNotice{Reason: reason, Seconds: n.For.Seconds()}
}

// WithWaitNotice returns a context for a Drafter. With that context, the Drafter calls tell before
// each wait for the model's provider. tell must not block.
func WithWaitNotice(ctx context.Context, tell func(wire.WaitNotice)) context.Context {
	return llm.WithWaitNotice(ctx, func(n llm.WaitNotice) { tell(waitNotice(n)) })
}

// withWaitNotices reports each wait for a model's provider to the caller, with an interim status 102. The
// caller must ask for that with a header, because some HTTP libraries take any 1xx for the final answer.
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
