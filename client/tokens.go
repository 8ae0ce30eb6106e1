package client

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

func readTokens(h http.Header) wire.Tokens {
	count := func(name string) int {
		n, err := strconv.Atoi(h.Get(name))
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	return wire.Tokens{In: count(wire.HeaderLLMTokensIn), Out: count(wire.HeaderLLMTokensOut)}
}

func callModel[T any](ctx context.Context, c *Client, k call, cost func(*T) *wire.Tokens) (T, error) {
	var answer T
	response, err := c.makeCall(ctx, k)
	if err == nil {
		err = response.decodeBody(&answer)
		*cost(&answer) = readTokens(response.Header)
	}
	return answer, err
}

func openingCost(o *wire.Opening) *wire.Tokens { return &o.Tokens }

func replyCost(r *wire.Reply) *wire.Tokens { return &r.Tokens }

const (
	trailerPatience = time.Second
	maxAfterDone    = 64 << 10
)
