package admission

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/parley-npc/parley/localserver/apierror"
	"github.com/parley-npc/parley/localserver/endpoint"
	"github.com/parley-npc/parley/localserver/limit"
	"github.com/parley-npc/parley/localserver/request"
	"github.com/parley-npc/parley/localserver/store"
)

// limitAddress counts a request by its address where the row's category is
// counted so. It comes before anything that costs: no token is checked and no
// body is read of what is refused.
func (c *Checker) limitAddress(row *endpoint.Route, w http.ResponseWriter, r *http.Request) error {
	if c.limiter == nil || endpoint.RateLimits[row.Limit].PerKey {
		return nil
	}
	return c.countRequest(r.Context(), row.Limit, request.Network(r.Context()), w)
}

// limitKey counts a request by its API key, or, when the key is not valid, by its
// address as a general one: whoever tries keys is told after a while to wait and
// learns no more, and a valid key from the same address still goes through.
func (c *Checker) limitKey(row *endpoint.Route, k store.Key, invalid error, w http.ResponseWriter, r *http.Request) error {
	if c.limiter == nil {
		return invalid
	}
	if invalid == nil {
		return c.countRequest(r.Context(), row.Limit, k.ID, w)
	}
	if e := apierror.From(invalid); e.Status != http.StatusUnauthorized {
		return invalid
	}
	if err := c.countRequest(r.Context(), endpoint.LimitGeneral, request.Network(r.Context()), w); err != nil {
		return err
	}
	return invalid
}

// countRequest counts one request and says on its answer how many are left. Where it
// cannot be counted, it is not let through.
func (c *Checker) countRequest(ctx context.Context, category endpoint.Category, caller string, w http.ResponseWriter) error {
	most := endpoint.RateLimits[category].PerMinute
	counted, err := c.limiter.countRequest(ctx, string(category)+" "+caller, most)
	if err != nil {
		return err
	}
	values := []string{strconv.Itoa(most), strconv.Itoa(counted.Remaining), strconv.Itoa(limit.WholeSeconds(counted.Reset))}
	h := w.Header()
	h[endpoint.HeaderLimit], h[endpoint.HeaderRemaining], h[endpoint.HeaderReset] = values[0:1:1], values[1:2:2], values[2:3:3]
	if counted.Remaining == 0 && c.OnLimit != nil {
		c.tellOnce.Do(func() { c.OnLimit(string(category), most) })
	}
	if counted.OK {
		return nil
	}
	c.Telemetry.CountRateLimited(category)
	return limitReached(category, limit.WholeSeconds(counted.Wait))
}

func limitReached(category endpoint.Category, seconds int) *apierror.Error {
	sentence := fmt.Sprintf("the limit of %d requests a minute (%s) is reached", endpoint.RateLimits[category].PerMinute, category)
	return apierror.TooManyRequests(sentence, seconds)
}
