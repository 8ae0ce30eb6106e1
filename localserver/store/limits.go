package store

import (
	"context"
	"database/sql"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
)

// How much is remembered of callers.
const (
	maxCallers    = 1 << 17
	sweepInterval = 10 * time.Second
	sweepRequests = 1 << 12 // of this server
)

// Limits count the requests that all servers of a database get. They are safe for
// concurrent use.
type Limits struct {
	database database
	window   time.Duration
	clock    func() time.Time // nil is the database's
	now      func() time.Time // when to sweep

	mu       sync.Mutex
	swept    time.Time
	requests int // since then
}

// RequestCount is the decision about a request: whether it passed, the number of requests in the
// window now, the age of the oldest of them, and the age of the one that must leave the window
// before the next request passes.
type RequestCount struct {
	Passed       bool
	Standing     int
	Oldest, Next time.Duration
	// At is when it was decided, by the clock that decides.
	At time.Time
}

// SharedLimits returns the counts of a database that several servers use, or nil if this server is
// the only one. It uses the database's clock, so that no server's clock matters, unless clock is
// set for all of them.
func SharedLimits(s *Store, window time.Duration, clock func() time.Time) *Limits {
	if !s.database.IsShared() {
		return nil
	}
	return &Limits{database: s.database.database, window: window, clock: clock, now: s.now, swept: s.now()}
}

// CountRequest counts a request of a caller who may make most of them in a window. A refused one is
// not counted.
func (l *Limits) CountRequest(ctx context.Context, caller string, most int) (count RequestCount, err error) {
	request := db.CountRequestParams{Name: caller, At: l.readClock(), Most: int64(most), TimeWindow: l.window.Microseconds()}
	err = l.database.Query(ctx, func(ctx context.Context, q *db.Queries) error {
		row, err := q.CountRequest(ctx, request)
		count = RequestCount{
			Passed: row.Passed, Standing: int(row.Standing), At: time.UnixMicro(row.Asked),
			Oldest: microseconds(row.Asked - row.Oldest), Next: microseconds(row.Asked - row.Next),
		}
		return err
	})
	if err != nil {
		return RequestCount{}, err
	}
	if l.isSweepDue() {
		l.forgetIdle(ctx)
	}
	return count, nil
}

// UncountRequest takes back a request of a caller that was counted. Where that fails, it
// stays counted: the caller has one request less in this window.
func (l *Limits) UncountRequest(ctx context.Context, caller string, count RequestCount) {
	ctx = context.WithoutCancel(ctx)
	_ = l.database.Query(ctx, func(ctx context.Context, q *db.Queries) error {
		return q.UncountRequest(ctx, db.UncountRequestParams{Name: caller, At: count.At.UnixMicro()})
	})
}

func (l *Limits) readClock() sql.NullInt64 {
	if l.clock == nil {
		return sql.NullInt64{}
	}
	return sql.NullInt64{Int64: l.clock().UnixMicro(), Valid: true}
}

func microseconds(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// isSweepDue reports whether a request is to sweep, which one is in a while.
func (l *Limits) isSweepDue() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if l.requests++; l.requests < sweepRequests && now.Sub(l.swept) < sweepInterval {
		return false
	}
	l.swept, l.requests = now, 0
	return true
}

// forgetIdle forgets callers with nothing to count, and those past the bound. What cannot
// be forgotten now is the next time, by whichever server.
func (l *Limits) forgetIdle(ctx context.Context) {
	idle := db.ForgetIdleCallersParams{At: l.readClock(), TimeWindow: l.window.Microseconds()}
	_ = l.database.Query(ctx, func(ctx context.Context, q *db.Queries) error {
		if err := q.ForgetIdleCallers(ctx, idle); err != nil {
			return err
		}
		return q.BoundCallers(ctx, maxCallers)
	})
}
