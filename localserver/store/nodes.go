package store

import (
	"context"
	"database/sql"
	"errors"
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
