package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
)

// ProviderRecords stores state that several servers with one database share. It is safe for
// concurrent use.
type ProviderRecords struct {
	database database
	now      func() time.Time
}

// SharedRecords returns the records of a shared database, or nil for a SQLite file.
func SharedRecords(s *Store) *ProviderRecords {
	if !s.database.IsShared() {
		return nil
	}
	return &ProviderRecords{s.database.database, s.now}
}

// Write runs work in a transaction. Write repeats work after a conflict with another server.
func (r *ProviderRecords) Write(ctx context.Context, work func(*RecordSet) error) error {
	return r.database.Write(ctx, func(ctx context.Context, q *db.Queries) error {
		return work(&RecordSet{ctx, q, r.now})
	})
}

// Read runs work in a read-only transaction with a single query.
func (r *ProviderRecords) Read(ctx context.Context, work func(*RecordSet) error) error {
	return r.database.Query(ctx, func(ctx context.Context, q *db.Queries) error {
		return work(&RecordSet{ctx, q, r.now})
	})
}

// A RecordSet reads and changes records within a transaction.
type RecordSet struct {
	ctx context.Context //nolint:containedctx // it is the transaction's
	q   *db.Queries
	now func() time.Time
}

// Find returns a record's content. Find returns "" for a missing or expired record.
func (s *RecordSet) Find(kind, id string) (content string, err error) {
	content, err = s.q.ProviderRecord(s.ctx, db.ProviderRecordParams{Kind: kind, ID: id, Now: toMillis(s.now())})
	return content, ifMissing(err, nil)
}

// List returns the contents of all records of a kind, by id.
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
	return s.q.KeepProviderRecord(s.ctx, db.KeepProviderRecordParams{
		Kind: kind, ID: id, Content: content, ExpiresAt: toMillis(expires),
	})
}

// Forget deletes the expired records of a kind. Beyond limit records, it also deletes the records
// that expire first.
func (s *RecordSet) Forget(kind string, limit int) error {
	return s.q.ForgetProviderRecords(s.ctx, db.ForgetProviderRecordsParams{
		Kind: kind, Now: toMillis(s.now()), Most: int64(limit),
	})
}

// Calls contains the running calls with an Idempotency-Key of all servers. It is safe for
// concurrent use.
type Calls struct{ database database }

// SharedCalls returns the calls of a shared database, or nil for a SQLite file.
func SharedCalls(s *Store) *Calls {
	if !s.database.IsShared() {
		return nil
	}
	return &Calls{s.database.database}
}

// ClaimCall claims a call for the duration of lease, or extends the holder's claim. ClaimCall
// returns ErrKeyReused if a call with another body is running.
func (c *Calls) ClaimCall(
	ctx context.Context, call *IdempotentCall, holder string, lease time.Duration,
) (claimed bool, err error) {
	claim := db.ClaimCallParams{
		Scope: call.Scope, Key: call.Key, BodyHash: call.BodyHash, Holder: holder, Lease: lease.Milliseconds(),
	}
	err = c.database.Query(ctx, func(ctx context.Context, q *db.Queries) error {
		n, err := q.ClaimCall(ctx, claim)
		if claimed = n > 0; claimed || err != nil {
			return err
		}
		body, err := q.CallUnderWay(ctx, db.CallUnderWayParams{Scope: call.Scope, Key: call.Key})
		switch {
		case errors.Is(err, sql.ErrNoRows): // The other call has just ended.
			return nil
		case err == nil && body != call.BodyHash:
			return ErrKeyReused
		}
		return err
	})
	return claimed, err
}

// EndCall deletes a holder's claim, and the expired claims of killed servers.
func (c *Calls) EndCall(ctx context.Context, call *IdempotentCall, holder string) error {
	return c.database.Query(ctx, func(ctx context.Context, q *db.Queries) error {
		err := q.EndCall(ctx, db.EndCallParams{Scope: call.Scope, Key: call.Key, Holder: holder})
		return errors.Join(err, q.ForgetCalls(ctx))
	})
}

const (
	maxCallers    = 1 << 17
	sweepInterval = 10 * time.Second
	sweepRequests = 1 << 12 // counted by this server
)

// Limits counts the requests to all servers that share a database. It is safe for concurrent use.
type Limits struct {
	database database
	window   time.Duration
	clock    func() time.Time // nil means the database's clock
	now      func() time.Time // for the sweeps

	mu       sync.Mutex
	swept    time.Time
	requests int // since the last sweep
}

// RequestCount is the decision about a request. Standing counts the requests in the window, and
// Oldest is the age of the oldest. A further request is admitted after the request with the age
// Next leaves the window.
type RequestCount struct {
	Passed       bool
	Standing     int
	Oldest, Next time.Duration
	// At is the time of the decision by the clock of Limits.
	At time.Time
}

// SharedLimits returns the counts of a shared database, or nil for a SQLite file. A nil clock means
// the clock of the database.
func SharedLimits(s *Store, window time.Duration, clock func() time.Time) *Limits {
	if !s.database.IsShared() {
		return nil
	}
	return &Limits{database: s.database.database, window: window, clock: clock, now: s.now, swept: s.now()}
}

// CountRequest counts a request of a caller. CountRequest rejects the request at limit requests in
// the window.
func (l *Limits) CountRequest(ctx context.Context, caller string, limit int) (count RequestCount, err error) {
	request := db.CountRequestParams{
		Name: caller, At: l.readClock(), Most: int64(limit), TimeWindow: l.window.Microseconds(),
	}
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

// UncountRequest removes a counted request. A failure costs the caller one request in this window.
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

func (l *Limits) forgetIdle(ctx context.Context) {
	idle := db.ForgetIdleCallersParams{At: l.readClock(), TimeWindow: l.window.Microseconds()}
	_ = l.database.Query(ctx, func(ctx context.Context, q *db.Queries) error {
		if err := q.ForgetIdleCallers(ctx, idle); err != nil {
			return err
		}
		return q.BoundCallers(ctx, maxCallers)
	})
}
