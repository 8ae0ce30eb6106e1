package api

import (
	"container/list"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/store"
)

// Window is the sliding period in which requests are counted.
const Window = time.Minute

// DefaultKeys is the number of keys in a server's Limiter. It is more than the 65,536 networks of
// one IPv6 site, so that the addresses of a single site cannot displace all other keys.
const DefaultKeys = 1 << 17

// A Grant is the decision about a request.
type Grant struct {
	// OK means that the request was admitted and counted.
	OK bool
	// Wait is the time until the request would be admitted, or 0 if OK. It is exact unless another
	// request with the same key comes first.
	Wait time.Duration
	// Remaining is the number of further requests that would be admitted now.
	Remaining int
	// Reset is the time until the oldest request expires and Remaining grows.
	Reset time.Duration
}

// A Limiter counts requests per key in a sliding window. Use NewLimiter to create one. It is safe
// for concurrent use.
type Limiter struct {
	most  int
	mu    sync.Mutex
	epoch time.Time
	// recent contains the requests of each key. The key with the latest request is first.
	recent *list.List
	keys   map[string]*list.Element
}

// NewLimiter returns an empty Limiter. keys is the maximum number of keys.
//
// If there are more keys, the Limiter forgets the key with the oldest last request, which then starts again
// at 0. So the Limiter admits more requests, but a caller cannot block another caller.
func NewLimiter(keys int) *Limiter {
	return &Limiter{most: max(keys, 1), recent: list.New(), keys: map[string]*list.Element{}}
}

// A Bound is a key and the maximum number of the key's requests in any Window. A Most below 1 means
// 1.
type Bound struct {
	Key  string
	Most int
}

// TakeAll counts one request for several keys, or for none of them if one bound rejects the request. In any
// Window, at most Most requests of each key are admitted. TakeAll returns the index and the Grant of the
// bound that rejects the request, or of the bound with the fewest remaining requests. If now is before the
// last request of a key, the time of that request is used.
func (l *Limiter) TakeAll(now time.Time, bounds ...Bound) (tightest int, g Grant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.epoch.IsZero() {
		l.epoch = now
	}
	// Sub uses the monotonic clock if both times have one.
	at := now.Sub(l.epoch)
	l.forgetIdle(at)
	var counted []*requests
	for i, b := range bounds {
		r := l.findKey(b.Key, at)
		next := r.takeRequest(max(b.Most, 1), at)
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

func (l *Limiter) findKey(key string, at time.Duration) *requests {
	if e, ok := l.keys[key]; ok {
		l.recent.MoveToFront(e)
		r := e.Value.(*requests)
		r.last = max(r.last, at)
		return r
	}
	if len(l.keys) >= l.most {
		l.forgetKey(l.recent.Back())
	}
	r := &requests{key: key, last: at}
	l.keys[key] = l.recent.PushFront(r)
	return r
}

// forgetIdle removes up to two keys without requests in the last Window. A request usually adds
// only one key, so memory shrinks after a peak.
func (l *Limiter) forgetIdle(at time.Duration) {
	for range 2 {
		oldest := l.recent.Back()
		if oldest == nil || at-oldest.Value.(*requests).last < Window {
			return
		}
		l.forgetKey(oldest)
	}
}

func (l *Limiter) forgetKey(e *list.Element) {
	delete(l.keys, e.Value.(*requests).key)
	l.recent.Remove(e)
}

type requests struct {
	key string
	// last is the time of the last request, admitted or rejected.
	last time.Duration
	// times contains the times of the admitted requests, oldest first.
	times []time.Duration
}

func (r *requests) takeRequest(limit int, at time.Duration) Grant {
	// Two callers may read the clock in one order and arrive here in the other order.
	if n := len(r.times); n > 0 {
		at = max(at, r.times[n-1])
	}
	gone := 0
	for gone < len(r.times) && at-r.times[gone] >= Window {
		gone++
	}
	r.times = slices.Delete(r.times, 0, gone)
	g := Grant{OK: len(r.times) < limit}
	if g.OK {
		r.times = append(r.times, at)
		g.Remaining = limit - len(r.times)
		g.Reset = r.times[0] + Window - at
		return g
	}
	// If the limit was higher before, more requests than the oldest one must expire.
	g.Wait = r.times[len(r.times)-limit] + Window - at
	g.Reset = g.Wait
	return g
}

// WholeSeconds returns a wait in whole seconds, rounded up.
func WholeSeconds(wait time.Duration) int {
	return int((wait + time.Second - 1) / time.Second)
}

const maxWaits = 1 << 14

// Waits stores which keys a remote counter rejected, and until when. Until then, requests with such
// a key can be rejected without the remote counter. It is safe for concurrent use.
type Waits struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// FindWait returns how long requests with a key are still rejected, or 0 if that is unknown.
func (w *Waits) FindWait(key string, now time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	until, ok := w.until[key]
	if !ok {
		return 0
	}
	wait := until.Sub(now)
	if wait <= 0 || wait > Window {
		delete(w.until, key)
		return 0
	}
	return wait
}

// KeepWait stores that requests with a key are rejected until the time since plus wait. since must
// be a time before the request was counted, so that a caller is not rejected for longer than
// announced. If there are maxWaits keys, KeepWait removes all of them. Then the remote counter gets
// additional requests, but still rejects them.
func (w *Waits) KeepWait(key string, since time.Time, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.until) >= maxWaits {
		clear(w.until)
	}
	w.until[key] = since.Add(wait)
}

// A requestCounter counts a request for several keys like Limiter.TakeAll. Each key has a limit per
// minute.
type requestCounter interface {
	countRequest(ctx context.Context, bounds ...Bound) (tightest int, g Grant, err error)
}

type memoryCounter struct {
	log *Limiter
	now func() time.Time
}

func (c memoryCounter) countRequest(_ context.Context, bounds ...Bound) (int, Grant, error) {
	tightest, g := c.log.TakeAll(c.now(), bounds...)
	return tightest, g, nil
}

// sharedCounter is the requestCounter of servers that count requests in a shared database. After
// the database has rejected a caller, sharedCounter itself rejects the caller until the wait is
// over, so that repeated requests do not load the database.
type sharedCounter struct {
	counts  *store.Limits
	refused *Waits
	now     func() time.Time
}

func (c *sharedCounter) countRequest(ctx context.Context, bounds ...Bound) (tightest int, g Grant, err error) {
	begun := c.now()
	for i, b := range bounds {
		if wait := c.refused.FindWait(b.Key, begun); wait > 0 {
			return i, Grant{Wait: wait, Reset: wait}, nil
		}
	}
	var counted []store.RequestCount
	for i, b := range bounds {
		count, err := c.counts.CountRequest(ctx, b.Key, b.Most)
		if err != nil {
			c.giveBack(ctx, bounds, counted)
			return i, Grant{}, err
		}
		if !count.Passed {
			c.giveBack(ctx, bounds, counted)
			wait := Window - count.Next
			c.refused.KeepWait(b.Key, begun, wait)
			return i, Grant{Wait: wait, Reset: wait}, nil
		}
		counted = append(counted, count)
		next := Grant{OK: true, Remaining: b.Most - count.Standing, Reset: Window - count.Oldest}
		if i == 0 || next.Remaining < g.Remaining {
			tightest, g = i, next
		}
	}
	return tightest, g, nil
}

func (c *sharedCounter) giveBack(ctx context.Context, bounds []Bound, counted []store.RequestCount) {
	for i := range counted {
		c.counts.UncountRequest(ctx, bounds[i].Key, counted[i])
	}
}
