package admission

import (
	"context"
	"time"

	"github.com/parley-npc/parley/localserver/limit"
	"github.com/parley-npc/parley/localserver/store"
)

// requestCounter counts a request under several keys, each with a limit a minute, as limit.TakeAll
// does.
type requestCounter interface {
	countRequest(ctx context.Context, bounds ...limit.Bound) (tightest int, g limit.Grant, err error)
}

// newCounter returns a counter in the database if several servers share it, and else one in memory.
// Clock is the common clock of all servers; nil is the database's.
func newCounter(o *Options) requestCounter {
	if shared := store.SharedLimits(o.Store, limit.Window, o.Clock); shared != nil {
		return &sharedCounter{counts: shared, refused: limit.NewWaits(), now: o.Now}
	}
	return memoryCounter{limit.New(limit.DefaultKeys), o.Now}
}

// memoryCounter is for a server that is the only one.
type memoryCounter struct {
	log *limit.Limiter
	now func() time.Time
}

func (c memoryCounter) countRequest(_ context.Context, bounds ...limit.Bound) (int, limit.Grant, error) {
	tightest, g := c.log.TakeAll(c.now(), bounds...)
	return tightest, g, nil
}

// sharedCounter is for servers that share a database; the database decides. It refuses a refused
// caller locally until the wait is over, so that repeated calls cost the database nothing.
type sharedCounter struct {
	counts  *store.Limits
	refused *limit.Waits
	now     func() time.Time
}

func (c *sharedCounter) countRequest(ctx context.Context, bounds ...limit.Bound) (tightest int, g limit.Grant, err error) {
	begun := c.now()
	for i, b := range bounds {
		if wait := c.refused.FindWait(b.Key, begun); wait > 0 {
			return i, limit.Grant{Wait: wait, Reset: wait}, nil
		}
	}
	var counted []store.RequestCount
	for i, b := range bounds {
		count, err := c.counts.CountRequest(ctx, b.Key, b.Most)
		if err != nil {
			c.giveBack(ctx, bounds, counted)
			return i, limit.Grant{}, err
		}
		if !count.Passed {
			c.giveBack(ctx, bounds, counted)
			return i, c.noteRefusal(b.Key, begun, count), nil
		}
		counted = append(counted, count)
		next := limit.Grant{OK: true, Remaining: b.Most - count.Standing, Reset: limit.Window - count.Oldest}
		if i == 0 || next.Remaining < g.Remaining {
			tightest, g = i, next
		}
	}
	return tightest, g, nil
}

// giveBack reverts the first counts: a request refused by a later bound does not count.
func (c *sharedCounter) giveBack(ctx context.Context, bounds []limit.Bound, counted []store.RequestCount) {
	for i := range counted {
		c.counts.UncountRequest(ctx, bounds[i].Key, counted[i])
	}
}

// noteRefusal remembers a refusal by the database.
func (c *sharedCounter) noteRefusal(key string, begun time.Time, count store.RequestCount) limit.Grant {
	wait := limit.Window - count.Next
	c.refused.KeepWait(key, begun, wait)
	return limit.Grant{Wait: wait, Reset: wait}
}
