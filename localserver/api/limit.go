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

const window = time.Minute

// One IPv6 site has 65,536 networks and must not displace all other keys.
const limiterKeys = 1 << 17

type tally struct {
	category Category
	suffix   string // appended to the category in messages
	caller   string // an address, a key or an owner
	limit    int    // per window, at least 1
}

func (t tally) key() string { return string(t.category) + " " + t.caller }

func countedBy(category Category, caller string) tally {
	return tally{category: category, caller: caller, limit: RateLimits[category].PerMinute}
}

type grant struct {
	OK bool // admitted and counted
	// Wait is exact unless another request with the same key comes first.
	Wait      time.Duration
	Remaining int           // further requests allowed now
	Reset     time.Duration // until Remaining grows
}

// A requestCounter counts a request in all tallies, or in none if a limit is reached. The result is
// for the tally with the fewest remaining requests.
type requestCounter interface {
	countRequest(ctx context.Context, tallies ...tally) (tightest int, result grant, err error)
}

type limiter struct {
	now   func() time.Time
	mu    sync.Mutex
	epoch time.Time
	keys  *cache.Cache[string, *requests]
}

func newLimiter(maxKeys int, now func() time.Time) *limiter {
	return &limiter{now: now, keys: cache.New[string, *requests](maxKeys)}
}

func (l *limiter) countRequest(_ context.Context, tallies ...tally) (int, grant, error) {
	tightest, g := l.countAll(l.now(), tallies...)
	return tightest, g, nil
}

func (l *limiter) countAll(now time.Time, tallies ...tally) (tightest int, result grant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.epoch.IsZero() {
		l.epoch = now
	}
	elapsed := now.Sub(l.epoch)
	var counted []*requests
	for i, t := range tallies {
		recent, ok := l.keys.Find(t.key())
		if !ok {
			recent = &requests{}
			l.keys.Keep(t.key(), recent, 1)
		}
		next := recent.add(max(t.limit, 1), elapsed)
		if !next.OK {
			for _, r := range counted {
				r.times = r.times[:len(r.times)-1]
			}
			return i, next
		}
		counted = append(counted, recent)
		if i == 0 || next.Remaining < result.Remaining {
			tightest, result = i, next
		}
	}
	return tightest, result
}

type requests struct{ times []time.Duration } // oldest first

func (r *requests) add(limit int, elapsed time.Duration) grant {
	// The goroutine that read the clock first may take the lock last.
	if n := len(r.times); n > 0 {
		elapsed = max(elapsed, r.times[n-1])
	}
	expired := 0
	for expired < len(r.times) && elapsed-r.times[expired] >= window {
		expired++
	}
	r.times = slices.Delete(r.times, 0, expired)
	result := grant{OK: len(r.times) < limit}
	if result.OK {
		r.times = append(r.times, elapsed)
		result.Remaining = limit - len(r.times)
		result.Reset = r.times[0] + window - elapsed
		return result
	}
	// If the limit was reduced, several requests must expire.
	result.Wait = r.times[len(r.times)-limit] + window - elapsed
	result.Reset = result.Wait
	return result
}

// WholeSeconds returns a wait in whole seconds, rounded up.
func WholeSeconds(wait time.Duration) int {
	return int((wait + time.Second - 1) / time.Second)
}

const maxRefused = 1 << 14

// A sharedCounter repeats rejections from memory to keep load off the database.
type sharedCounter struct {
	counts *store.Limits
	now    func() time.Time

	mu      sync.Mutex
	refused map[string]time.Time // end of the wait by key
}

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

func (c *sharedCounter) keepWait(key string, until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.refused) >= maxRefused {
		clear(c.refused)
	}
	c.refused[key] = until
}

func (c *sharedCounter) countRequest(ctx context.Context, tallies ...tally) (tightest int, result grant, err error) {
	started := c.now() // Before the count. Otherwise a rejection would exceed the announced wait.
	for i, t := range tallies {
		if wait := c.findWait(t.key(), started); wait > 0 {
			return i, grant{Wait: wait, Reset: wait}, nil
		}
	}
	var counted []store.RequestCount
	for i, t := range tallies {
		count, err := c.counts.CountRequest(ctx, t.key(), t.limit)
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
			c.keepWait(t.key(), started.Add(wait))
			return i, grant{Wait: wait, Reset: wait}, nil
		}
		counted = append(counted, count)
		next := grant{OK: true, Remaining: t.limit - count.Standing, Reset: window - count.Oldest}
		if i == 0 || next.Remaining < result.Remaining {
			tightest, result = i, next
		}
	}
	return tightest, result, nil
}

func (c *Checker) limitKey(route *Route, k store.Key, invalid error, w http.ResponseWriter, r *http.Request) error {
	if invalid == nil {
		owner := countedBy(route.Limit, "owner "+k.OwnerID)
		owner.limit, owner.suffix = OwnerMultiple*owner.limit, ", all keys of the account"
		return c.countRequest(r.Context(), w, countedBy(route.Limit, k.ID), owner)
	}
	if e := From(invalid); e.Status != http.StatusUnauthorized {
		return invalid
	}
	if err := c.countByAddress(LimitGeneral, w, r); err != nil {
		return err
	}
	return invalid
}

func (c *Checker) countByAddress(category Category, w http.ResponseWriter, r *http.Request) error {
	return c.countRequest(r.Context(), w, countedBy(category, identity.Network(r.Context())))
}

func (c *Checker) countRequest(ctx context.Context, w http.ResponseWriter, tallies ...tally) error {
	if c.limiter == nil {
		return nil
	}
	tightest, counted, err := c.limiter.countRequest(ctx, tallies...)
	if err != nil {
		return err
	}
	t := tallies[tightest]
	reset := WholeSeconds(counted.Reset)
	values := []string{strconv.Itoa(t.limit), strconv.Itoa(counted.Remaining), strconv.Itoa(reset)}
	h := w.Header()
	h[HeaderLimit], h[HeaderRemaining], h[HeaderReset] = values[0:1:1], values[1:2:2], values[2:3:3]
	if counted.Remaining == 0 && c.OnLimit != nil {
		c.limitOnce.Do(func() { c.OnLimit(string(t.category)+t.suffix, t.limit) })
	}
	if counted.OK {
		return nil
	}
	c.Telemetry.counter(limitedTotal, string(t.category)).Inc()
	return limitReached(t, WholeSeconds(counted.Wait))
}

func limitReached(t tally, seconds int) *Error {
	sentence := fmt.Sprintf("the limit of %d requests a minute (%s%s) is reached", t.limit, t.category, t.suffix)
	return TooManyRequests(sentence, seconds)
}
