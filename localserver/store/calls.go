package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/parley-npc/parley/localserver/store/postgres"
)

// Calls know which calls with an Idempotency-Key are being answered, by whichever of the
// servers that share a database. They are safe for concurrent use.
type Calls struct{ database nodesDatabase }

// SharedCalls give the calls of a database that several servers use; nil where this
// server is the only one.
func SharedCalls(s *Store) *Calls {
	shared, ok := s.database.(nodesDatabase)
	if !ok {
		return nil
	}
	return &Calls{shared}
}

// ClaimCall takes a call for a holder, or holds it for longer, until a lease from now has
// passed by the database's clock; claimed is false where somebody else has it. It refuses
// (ErrKeyReused) a call whose key is somebody else's for another body.
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

// EndCall gives a holder's call back, and those of servers that were killed.
func (c *Calls) EndCall(ctx context.Context, o *IdempotentCall, holder string) error {
	return c.database.AskNodes(ctx, func(ctx context.Context, q *postgres.Nodes) error {
		err := q.EndCall(ctx, postgres.HeldCall{Scope: o.Scope, Key: o.Key, Holder: holder})
		return errors.Join(err, q.ForgetCalls(ctx))
	})
}
