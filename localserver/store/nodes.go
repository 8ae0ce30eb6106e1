package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
)

// ProviderRecords store the shared state of the development providers of servers on one database.
// They are safe for concurrent use.
type ProviderRecords struct {
	database database
	now      func() time.Time
}

// SharedRecords returns the records of a database that several servers use, or nil if this server
// is the only one.
func SharedRecords(s *Store) *ProviderRecords {
	if !s.database.IsShared() {
		return nil
	}
	return &ProviderRecords{s.database.database, s.now}
}

// Write does the work and commits it, or does nothing. It repeats the work after a conflict with
// another server.
func (r *ProviderRecords) Write(ctx context.Context, do func(*RecordSet) error) error {
	return r.database.Write(ctx, func(ctx context.Context, q *db.Queries) error { return do(&RecordSet{ctx, q, r.now}) })
}

// Read is Write for one look.
func (r *ProviderRecords) Read(ctx context.Context, do func(*RecordSet) error) error {
	return r.database.Query(ctx, func(ctx context.Context, q *db.Queries) error { return do(&RecordSet{ctx, q, r.now}) })
}

// RecordSet are the records within one transaction.
type RecordSet struct {
	ctx context.Context //nolint:containedctx // it is the transaction's
	q   *db.Queries
	now func() time.Time
}

// Find returns a record's content, or "" if it is missing or expired.
func (s *RecordSet) Find(kind, id string) (content string, err error) {
	content, err = s.q.ProviderRecord(s.ctx, db.ProviderRecordParams{Kind: kind, ID: id, Now: toMillis(s.now())})
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return content, err
}

// List returns the contents of all records of a kind, by their ids.
func (s *RecordSet) List(kind string) (contents map[string]string, err error) {
	rows, err := s.q.ProviderRecords(s.ctx, db.ProviderRecordsParams{Kind: kind, Now: toMillis(s.now())})
	contents = make(map[string]string, len(rows))
	for _, row := range rows {
		contents[row.ID] = row.Content
	}
	return contents, err
}

// Keep creates or replaces a record.
func (s *RecordSet) Keep(kind, id, content string, expires time.Time) error {
	return s.q.KeepProviderRecord(s.ctx, db.KeepProviderRecordParams{Kind: kind, ID: id, Content: content, ExpiresAt: toMillis(expires)})
}

// Replace replaces a record that was found in this transaction. If somebody has changed or dropped
// it meanwhile, the transaction is rolled back and repeated.
func (s *RecordSet) Replace(kind, id, content string, expires time.Time) error {
	return s.q.ReplaceProviderRecord(s.ctx, db.ReplaceProviderRecordParams{Kind: kind, ID: id, Content: content, ExpiresAt: toMillis(expires)})
}

// Drop removes a record, if it exists.
func (s *RecordSet) Drop(kind, id string) error {
	return s.q.DropProviderRecord(s.ctx, db.DropProviderRecordParams{Kind: kind, ID: id})
}

// Forget removes the expired records of a kind, and beyond most records those that expire first.
func (s *RecordSet) Forget(kind string, most int) error {
	return s.q.ForgetProviderRecords(s.ctx, db.ForgetProviderRecordsParams{Kind: kind, Now: toMillis(s.now()), Most: int64(most)})
}

// Calls know which calls with an Idempotency-Key are being answered, by whichever of the
// servers that share a database. They are safe for concurrent use.
type Calls struct{ database database }

// SharedCalls returns the calls of a database that several servers use, or nil if this server is
// the only one.
func SharedCalls(s *Store) *Calls {
	if !s.database.IsShared() {
		return nil
	}
	return &Calls{s.database.database}
}

// ClaimCall claims a call for a holder, or extends the claim, for the length of lease by the
// database's clock; claimed is false if somebody else has it. It returns ErrKeyReused if another
// body has the call's key.
func (c *Calls) ClaimCall(ctx context.Context, o *IdempotentCall, holder string, lease time.Duration) (claimed bool, err error) {
	claim := db.ClaimCallParams{Scope: o.Scope, Key: o.Key, BodyHash: o.BodyHash, Holder: holder, Lease: lease.Milliseconds()}
	err = c.database.Query(ctx, func(ctx context.Context, q *db.Queries) error {
		n, err := q.ClaimCall(ctx, claim)
		if claimed = n > 0; claimed || err != nil {
			return err
		}
		body, err := q.CallUnderWay(ctx, db.CallUnderWayParams{Scope: o.Scope, Key: o.Key})
		switch {
		case errors.Is(err, sql.ErrNoRows): // It has just ended.
			return nil
		case err == nil && body != o.BodyHash:
			return ErrKeyReused
		}
		return err
	})
	return claimed, err
}

// EndCall ends a holder's call, and those of killed servers.
func (c *Calls) EndCall(ctx context.Context, o *IdempotentCall, holder string) error {
	return c.database.Query(ctx, func(ctx context.Context, q *db.Queries) error {
		err := q.EndCall(ctx, db.EndCallParams{Scope: o.Scope, Key: o.Key, Holder: holder})
		return errors.Join(err, q.ForgetCalls(ctx))
	})
}

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
