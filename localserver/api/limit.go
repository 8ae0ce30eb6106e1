package api

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/cache"
)

// window is the length of the sliding period for counting requests.
const window = time.Minute

// limiterKeys is the maximum number of keys in a limiter. One IPv6 site has 65,536 networks. The
// maximum is higher, so that the addresses of one site cannot displace all other keys.
const limiterKeys = 1 << 17

// A tally is the count of one caller's requests in a category. The caller is an address, a key or an owner.
type tally struct {
	category Category
	over     string // appended to the category in messages
	caller   string
	most     int // per window; below 1 means 1
}

func (t tally) key() string { return string(t.category) + " " + t.caller }

func countedBy(category Category, caller string) tally {
	return tally{category: category, caller: caller, most: RateLimits[category].PerMinute}
}

// A grant is the decision about a request.
type grant struct {
	OK bool // the request was admitted and counted
	// Wait is the time until the request would be admitted, or 0 if OK. It is exact unless another
	// request with the same key comes first.
	Wait      time.Duration
	Remaining int           // how many further requests would be admitted now
	Reset     time.Duration // until the oldest request expires and Remaining grows
}

// A requestCounter counts a request in all tallies, or in none if one limit is reached. It returns
// the index and the grant of the tally that rejects the request. If none does, it returns those of
// the tally with the fewest remaining requests.
type requestCounter interface {
	countRequest(ctx context.Context, tallies ...tally) (tightest int, g grant, err error)
}

// A limiter counts the requests to one server. Beyond a maximum number of keys it forgets the key that
// was unused for the longest time, whose count then starts again at 0. So a caller cannot block
// another caller.
type limiter struct {
	now   func() time.Time
	mu    sync.Mutex
	epoch time.Time
	keys  *cache.Cache[string, *requests]
}

func newLimiter(most int, now func() time.Time) *limiter {
	return &limiter{now: now, keys: cache.New[string, *requests](most)}
}

func (l *limiter) countRequest(_ context.Context, tallies ...tally) (int, grant, error) {
	tightest, g := l.takeAll(l.now(), tallies...)
	return tightest, g, nil
}

// takeAll counts a request at the time now. If a key has a later request, takeAll uses the time of
// that request instead.
func (l *limiter) takeAll(now time.Time, tallies ...tally) (tightest int, g grant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.epoch.IsZero() {
		l.epoch = now
	}
	// Sub uses the monotonic clock if both times have one.
	at := now.Sub(l.epoch)
	var counted []*requests
	for i, t := range tallies {
		r, ok := l.keys.Find(t.key())
		if !ok {
			r = &requests{}
			l.keys.Keep(t.key(), r, 1)
		}
		next := r.takeRequest(max(t.most, 1), at)
		if !next.OK {
			for _, r := range counted {
				r.times = r.times[:len(r.times)-1]
			}
			return i, next
		}
		counted = append(counted, r)
		if i == 0 || next.Remaining < g.Remaining {
			tightest, g = i, next
		}
	}
	return tightest, g
}

// requests contains the times of the admitted requests, oldest first.
type requests struct{ times []time.Duration }

func (r *requests) takeRequest(limit int, at time.Duration) grant {
	// Of two callers, the one that read the clock first may arrive here last.
	if n := len(r.times); n > 0 {
		at = max(at, r.times[n-1])
	}
	gone := 0
	for gone < len(r.times) && at-r.times[gone] >= window {
		gone++
	}
	r.times = slices.Delete(r.times, 0, gone)
	g := grant{OK: len(r.times) < limit}
	if g.OK {
		r.times = append(r.times, at)
		g.Remaining = limit - len(r.times)
		g.Reset = r.times[0] + window - at
		return g
	}
	// If the limit was higher before, waiting for the oldest request is not enough: several must
	// expire.
	g.Wait = r.times[len(r.times)-limit] + window - at
	g.Reset = g.Wait
	return g
}

// WholeSeconds returns a wait in whole seconds, rounded up.
func WholeSeconds(wait time.Duration) int {
	return int((wait + time.Second - 1) / time.Second)
}

const maxRefused = 1 << 14

// sharedCounter counts requests in a database that several servers share. After the database has
// rejected a key, sharedCounter rejects further requests itself until the wait is over. So repeated
// requests do not load the database.
type sharedCounter struct {
	counts *store.Limits
	now    func() time.Time

	mu      sync.Mutex
	refused map[string]time.Time // until when, by key
}

// findWait returns how long requests with a key are still rejected. It returns 0 if no
// rejection is recorded.
func (c *sharedCounter) findWait(key string, now time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	wait := c.refused[key].Sub(now)
	if wait <= 0 || wait > window {
		delete(c.refused, key)
		return 0
	}
	return wait
}

// keepWait records a rejection. If there are maxRefused keys, it removes all of them, and the database rejects
// their next requests.
func (c *sharedCounter) keepWait(key string, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.refused) >= maxRefused {
		clear(c.refused)
	}
	c.refused[key] = until
}

func (c *sharedCounter) countRequest(ctx context.Context, tallies ...tally) (tightest int, g grant, err error) {
	begun := c.now() // Earlier than the count, so that a caller is not rejected for longer than announced.
	for i, t := range tallies {
		if wait := c.findWait(t.key(), begun); wait > 0 {
			return i, grant{Wait: wait, Reset: wait}, nil
		}
	}
	var counted []store.RequestCount
	for i, t := range tallies {
		count, err := c.counts.CountRequest(ctx, t.key(), t.most)
		if err != nil || !count.Passed {
			for j := range counted {
				c.counts.UncountRequest(ctx, tallies[j].key(), counted[j])
			}
		}
		if err != nil {
			return i, grant{}, err
		}
		if !count.Passed {
			wait := window - count.Next
			c.keepWait(t.key(), begun.Add(wait))
			return i, grant{Wait: wait, Reset: wait}, nil
		}
		counted = append(counted, count)
		next := grant{OK: true, Remaining: t.most - count.Standing, Reset: window - count.Oldest}
		if i == 0 || next.Remaining < g.Remaining {
			tightest, g = i, next
		}
	}
	return tightest, g, nil
}

// limitKey counts a request for its API key, and for the owner over all keys of the account. A
// request with an invalid key is counted for the caller's address, so that a caller that tries many
// keys gets a 429.
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

// countRequest counts one request in all tallies, or in none if one limit is reached. It sets the
// headers with the state of the limit that is closest to being reached.
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
