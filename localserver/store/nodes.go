package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/parley-npc/parley/localserver/store/postgres"
)

// ProviderRecords store the shared state of the development providers of servers on one database.
// They are safe for concurrent use.
type ProviderRecords struct {
	database nodesDatabase
	now      func() time.Time
}

// SharedRecords returns the records of a database that several servers use, or nil if this server
// is the only one.
func SharedRecords(s *Store) *ProviderRecords {
	shared, ok := s.database.database.(nodesDatabase)
	if !ok {
		return nil
	}
	return &ProviderRecords{shared, s.now}
}

// Write does the work and commits it, or does nothing. It repeats the work after a conflict with
// another server.
func (r *ProviderRecords) Write(ctx context.Context, do func(*RecordSet) error) error {
	return r.database.WriteNodes(ctx, func(ctx context.Context, q *postgres.Nodes) error { return do(&RecordSet{ctx, q, r.now}) })
}

// Read is Write for one look.
func (r *ProviderRecords) Read(ctx context.Context, do func(*RecordSet) error) error {
	return r.database.AskNodes(ctx, func(ctx context.Context, q *postgres.Nodes) error { return do(&RecordSet{ctx, q, r.now}) })
}

// RecordSet are the records within one transaction.
type RecordSet struct {
	ctx context.Context //nolint:containedctx // it is the transaction's
	q   *postgres.Nodes
	now func() time.Time
}

// Find returns a record's content, or "" if it is missing or expired.
func (s *RecordSet) Find(kind, id string) (content string, err error) {
	content, err = s.q.ProviderRecord(s.ctx, postgres.ProviderRecordName{Kind: kind, ID: id, Now: toMillis(s.now())})
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return content, err
}

// List returns the contents of all records of a kind, by their ids.
func (s *RecordSet) List(kind string) (contents map[string]string, err error) {
	rows, err := s.q.ProviderRecords(s.ctx, postgres.ProviderRecordList{Kind: kind, Now: toMillis(s.now())})
	contents = make(map[string]string, len(rows))
	for _, row := range rows {
		contents[row.ID] = row.Content
	}
	return contents, err
}

// Keep creates or replaces a record.
func (s *RecordSet) Keep(kind, id, content string, expires time.Time) error {
	return s.q.KeepProviderRecord(s.ctx, postgres.ProviderRecord{Kind: kind, ID: id, Content: content, ExpiresAt: toMillis(expires)})
}

// Replace replaces a record that was found in this transaction. If somebody has changed or dropped
// it meanwhile, the transaction is rolled back and repeated.
func (s *RecordSet) Replace(kind, id, content string, expires time.Time) error {
	return s.q.ReplaceProviderRecord(s.ctx, postgres.NewProviderRecord{Kind: kind, ID: id, Content: content, ExpiresAt: toMillis(expires)})
}

// Drop removes a record, if it exists.
func (s *RecordSet) Drop(kind, id string) error {
	return s.q.DropProviderRecord(s.ctx, postgres.ProviderRecordDrop{Kind: kind, ID: id})
}

// Forget removes the expired records of a kind, and beyond most records those that expire first.
func (s *RecordSet) Forget(kind string, most int) error {
	return s.q.ForgetProviderRecords(s.ctx, postgres.ProviderRecordBounds{Kind: kind, Now: toMillis(s.now()), Most: int64(most)})
}

// Calls know which calls with an Idempotency-Key are being answered, by whichever of the
// servers that share a database. They are safe for concurrent use.
type Calls struct{ database nodesDatabase }

// SharedCalls returns the calls of a database that several servers use, or nil if this server is
// the only one.
func SharedCalls(s *Store) *Calls {
	shared, ok := s.database.database.(nodesDatabase)
	if !ok {
		return nil
	}
	return &Calls{shared}
}

// ClaimCall claims a call for a holder, or extends the claim, for the length of lease by the
// database's clock; claimed is false if somebody else has it. It returns ErrKeyReused if another
// body has the call's key.
func (c *Calls) ClaimCall(ctx context.Context, o *IdempotentCall, holder string, lease time.Duration) (claimed bool, err error) {
	claim := postgres.CallClaim{Scope: o.Scope, Key: o.Key, BodyHash: o.BodyHash, Holder: holder, Lease: lease.Milliseconds()}
	err = c.database.AskNodes(ctx, func(ctx context.Context, q *postgres.Nodes) error {
		n, err := q.ClaimCall(ctx, claim)
		if claimed = n > 0; claimed || err != nil {
			return err
		}
		body, err := q.CallUnderWay(ctx, postgres.CallName{Scope: o.Scope, Key: o.Key})
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
	return c.database.AskNodes(ctx, func(ctx context.Context, q *postgres.Nodes) error {
		err := q.EndCall(ctx, postgres.HeldCall{Scope: o.Scope, Key: o.Key, Holder: holder})
		return errors.Join(err, q.ForgetCalls(ctx))
	})
}
