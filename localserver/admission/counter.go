package admission

import (
	"context"
	"time"

	"github.com/parley-npc/parley/localserver/limit"
	"github.com/parley-npc/parley/localserver/store"
)

// requestCounter counts a key's requests, of which so many may be made in a minute.
type requestCounter interface {
	countRequest(ctx context.Context, key string, most int) (limit.Grant, error)
}

// newCounter counts in the database where several servers use it, and else in memory.
// Clock is the one of all servers; nil is the database's.
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

func (c memoryCounter) countRequest(_ context.Context, key string, most int) (limit.Grant, error) {
	return c.log.Take(key, most, c.now()), nil
}

// sharedCounter is for servers that share a database: it decides. Who was refused is
// refused here until the wait is over, so that insisting costs the database nothing
// (docs/decisions/limit.md, shared-limits).
type sharedCounter struct {
	counts  *store.Limits
	refused *limit.Waits
	now     func() time.Time
}

func (c *sharedCounter) countRequest(ctx context.Context, key string, most int) (limit.Grant, error) {
	begun := c.now()
	if wait := c.refused.FindWait(key, begun); wait > 0 {
		return limit.Grant{Wait: wait, Reset: wait}, nil
	}
	count, err := c.counts.CountRequest(ctx, key, most)
	if err != nil {
		return limit.Grant{}, err
	}
	if count.Passed {
		return limit.Grant{OK: true, Remaining: most - count.Standing, Reset: limit.Window - count.Oldest}, nil
	}
	wait := limit.Window - count.Next
	c.refused.KeepWait(key, begun, wait)
	return limit.Grant{Wait: wait, Reset: wait}, nil
}
