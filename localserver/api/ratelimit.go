package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/store"
)

// limitKey counts a request by its API key, and by the key's owner for all keys of the account. It counts a
// request with an invalid key by the caller's address, so that a caller that tries many keys gets a 429.
func (c *Checker) limitKey(row *Route, k store.Key, invalid error, w http.ResponseWriter, r *http.Request) error {
	if invalid == nil {
		owner := countedBy(row.Limit, "owner "+k.OwnerID)
		owner.most, owner.over = OwnerMultiple*owner.most, ", all keys of the account"
		return c.countRequest(r.Context(), w, countedBy(row.Limit, k.ID), owner)
	}
	if e := From(invalid); e.Status != http.StatusUnauthorized {
		return invalid
	}
	if err := c.countRequest(r.Context(), w, countedBy(LimitGeneral, identity.Network(r.Context()))); err != nil {
		return err
	}
	return invalid
}

// countRequest counts one request in all tallies, or in none if one limit is reached. It sets the headers
// with the state of the tightest limit.
func (c *Checker) countRequest(ctx context.Context, w http.ResponseWriter, tallies ...tally) error {
	if c.limiter == nil {
		return nil
	}
	tightest, counted, err := c.limiter.countRequest(ctx, tallies...)
	if err != nil {
		return err
	}
	t := tallies[tightest]
	values := []string{strconv.Itoa(t.most), strconv.Itoa(counted.Remaining), strconv.Itoa(WholeSeconds(counted.Reset))}
	h := w.Header()
	h[HeaderLimit], h[HeaderRemaining], h[HeaderReset] = values[0:1:1], values[1:2:2], values[2:3:3]
	if counted.Remaining == 0 && c.OnLimit != nil {
		c.tellOnce.Do(func() { c.OnLimit(string(t.category)+t.over, t.most) })
	}
	if counted.OK {
		return nil
	}
	c.Telemetry.counter(limitedTotal, string(t.category)).Inc()
	return limitReached(t, WholeSeconds(counted.Wait))
}

func limitReached(t tally, seconds int) *Error {
	return TooManyRequests(fmt.Sprintf("the limit of %d requests a minute (%s%s) is reached", t.most, t.category, t.over), seconds)
}
