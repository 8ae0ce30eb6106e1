package localserver

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/parley-npc/parley/personas/wire"
)

// withWaitNotices sends an interim status 102 for each wait. Callers must ask for it with a header, because
// some HTTP libraries take any 1xx for the final answer.
func withWaitNotices(ctx context.Context, c *call) context.Context {
	r, w := humago.Unwrap(c.humaContext)
	if r.Header.Get(wire.HeaderTellWaits) != "1" || r.ProtoMajor == 1 && r.ProtoMinor == 0 {
		return ctx
	}
	return wire.WithWaitNotice(ctx, func(n wire.WaitNotice) {
		w.Header().Set(wire.HeaderWaitNotice, n.Encode())
		w.WriteHeader(http.StatusProcessing)
		w.Header().Del(wire.HeaderWaitNotice)
	})
}
