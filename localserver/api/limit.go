package api

import (
	"container/list"
	"context"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/store"
)

// Window is the period for counting requests.
const Window = time.Minute

// DefaultKeys is the number of keys that a Log stores. It is more than the 65,536 networks of one
// IPv6 site, so that the addresses of a single site cannot displace another key.
const DefaultKeys = 1 << 17

// Grant is the answer to a request.
type Grant struct {
	// OK means that the request may go on and was counted.
	OK bool
	// Wait is the time until the request would be admitted; 0 if OK. It is exact unless another
	// request of the same key comes first.
	Wait time.Duration
	// Remaining is how many requests may still follow at once.
	Remaining int
	// Reset is the time until Remaining grows because the oldest request expires.
	Reset time.Duration
}

// Limiter is a sliding log of requests. Make one with New. It is safe for concurrent
// use.
type Limiter struct {
	most  int
	mu    sync.Mutex
	epoch time.Time
	// recent has the keys in the order of their last requests, the newest first.
	recent *list.List
	keys   map[string]*list.Element
}

// NewLimiter returns an empty log for at most this many keys.
//
// If there are more, it forgets the key with the oldest last request. Refused requests count as
// requests, so that insisting does not help. This does not lose counts as long as fewer keys than
// that occur per minute, because keys without a request in the last minute are forgotten first.
// Beyond that a forgotten key starts again at 0: the log then admits more requests and never fewer,
// so a caller cannot lock out another one, and needs a counted request from each of that many other
// keys to be forgotten.
func NewLimiter(keys int) *Limiter {
	return &Limiter{most: max(keys, 1), recent: list.New(), keys: map[string]*list.Element{}}
}

// Take asks for one request of a key that may make limit of them, at least one, in
// any Window.
// A refused one is not counted. Now is the caller's clock: it should be one that
// does not run backwards, as that of time.Now; of times that come in disorder the
// latest one of a key counts.
func (l *Limiter) Take(key string, limit int, now time.Time) Grant {
	_, g := l.TakeAll(now, Bound{key, limit})
	return g
}

// Bound is a key and how many requests of it, at least one, may be made in any Window.
type Bound struct {
	Key  string
	Most int
}

// TakeAll asks for one request that counts under several keys, as Take does for each: it counts
// under all of them or, if one refuses, under none. It returns the index of the bound that refuses,
// else of one that leaves the fewest requests, and its grant.
func (l *Limiter) TakeAll(now time.Time, bounds ...Bound) (tightest int, g Grant) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.epoch.IsZero() {
		l.epoch = now
	}
	// Differences of times use the monotonic clock if available.
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

// Len returns how many keys are remembered.
func (l *Limiter) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.keys)
}

// findKey returns a key's requests and makes it the newest one.
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

// forgetIdle removes two keys without recent requests. Two per request are more than can be added,
// so memory shrinks after a peak.
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

// requests are those of one key.
type requests struct {
	key string
	// last is the time of the last one, let through or not.
	last time.Duration
	// times are those that were let through, the oldest first.
	times []time.Duration
}

func (r *requests) takeRequest(limit int, at time.Duration) Grant {
	// Two callers may read the clock in one order and come here in the other.
	if n := len(r.times); n > 0 {
		at = max(at, r.times[n-1])
	}
	r.dropExpired(at)
	g := Grant{OK: len(r.times) < limit}
	if g.OK {
		r.times = append(r.times, at)
		g.Remaining = limit - len(r.times)
		g.Reset = r.times[0] + Window - at
		return g
	}
	// If the limit of a key is smaller than before, more than the oldest must expire.
	g.Wait = r.times[len(r.times)-limit] + Window - at
	g.Reset = g.Wait
	return g
}

// dropExpired drops what is a Window ago. It moves the rest to the front, so
// that a key's memory stays that of its limit.
func (r *requests) dropExpired(at time.Duration) {
	gone := 0
	for gone < len(r.times) && at-r.times[gone] >= Window {
		gone++
	}
	if gone > 0 {
		r.times = r.times[:copy(r.times, r.times[gone:])]
	}
}

// WholeSeconds returns a wait in whole seconds, rounded up so that it stays true.
func WholeSeconds(wait time.Duration) int {
	return int((wait + time.Second - 1) / time.Second)
}

// maxWaits is how many keys Waits remembers.
const maxWaits = 1 << 14

// Waits stores which keys were refused, and until when, if the counting is remote: until then the
// answer is a refusal anyway, so the counter need not be asked. Use NewWaits. Waits is safe for
// concurrent use.
type Waits struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// NewWaits returns an empty memory.
func NewWaits() *Waits { return &Waits{until: map[string]time.Time{}} }

// FindWait returns for how long a key's requests are refused from now on; 0 if unknown.
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

// KeepWait stores a refusal. since is a moment before the request, so that a caller is never
// refused for longer than announced. When there are too many, it forgets all: that costs additional
// requests, but never admits too many.
func (w *Waits) KeepWait(key string, since time.Time, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.until) >= maxWaits {
		clear(w.until)
	}
	w.until[key] = since.Add(wait)
}

// requestCounter counts a request under several keys, each with a limit a minute, as TakeAll does.
type requestCounter interface {
	countRequest(ctx context.Context, bounds ...Bound) (tightest int, g Grant, err error)
}

// newCounter returns a counter in the database if several servers share it, and else one in memory.
// Clock is the common clock of all servers; nil is the database's.
func newCounter(o *Options) requestCounter {
	if shared := store.SharedLimits(o.Store, Window, o.Clock); shared != nil {
		return &sharedCounter{counts: shared, refused: NewWaits(), now: o.Now}
	}
	return memoryCounter{NewLimiter(DefaultKeys), o.Now}
}

// memoryCounter is for a server that is the only one.
type memoryCounter struct {
	log *Limiter
	now func() time.Time
}

func (c memoryCounter) countRequest(_ context.Context, bounds ...Bound) (int, Grant, error) {
	tightest, g := c.log.TakeAll(c.now(), bounds...)
	return tightest, g, nil
}

// sharedCounter is for servers that share a database; the database decides. It refuses a refused
// caller locally until the wait is over, so that repeated calls cost the database nothing.
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
			return i, c.noteRefusal(b.Key, begun, count), nil
		}
		counted = append(counted, count)
		next := Grant{OK: true, Remaining: b.Most - count.Standing, Reset: Window - count.Oldest}
		if i == 0 || next.Remaining < g.Remaining {
			tightest, g = i, next
		}
	}
	return tightest, g, nil
}

// giveBack reverts the first counts: a request refused by a later bound does not count.
func (c *sharedCounter) giveBack(ctx context.Context, bounds []Bound, counted []store.RequestCount) {
	for i := range counted {
		c.counts.UncountRequest(ctx, bounds[i].Key, counted[i])
	}
}

// noteRefusal remembers a refusal by the database.
func (c *sharedCounter) noteRefusal(key string, begun time.Time, count store.RequestCount) Grant {
	wait := Window - count.Next
	c.refused.KeepWait(key, begun, wait)
	return Grant{Wait: wait, Reset: wait}
}
