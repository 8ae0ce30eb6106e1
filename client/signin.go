package client

import (
	"context"

	"github.com/parley-npc/parley/personas/wire"
)

// SignIn returns how users sign in to the service (GET /.well-known/parley, an addition of the
// local server). It sends no token. A service without this endpoint answers 404.
func (c *Client) SignIn(ctx context.Context) (wire.SignIn, error) {
	k := newReadCall(wire.PathSignIn, "", nil)
	k.signer = func(context.Context) ([]credential, error) { return nil, nil }
	return fetchAnswer[wire.SignIn](ctx, c, k)
}
