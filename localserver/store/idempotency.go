package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/localserver/store/postgres"
)

// LoadAnswer returns the stored answer of a call that was made before; ok is false
// when there is none. It refuses (ErrKeyReused) a key that was used with another
// body.
func (s *Store) LoadAnswer(ctx context.Context, o *IdempotentCall) (answer []byte, ok bool, err error) {
	if !o.isWanted() {
		return nil, false, nil
	}
	err = s.database.Read(ctx, func(ctx context.Context, q db.Querier) error {
		answer, err = s.findAnswer(ctx, q, o)
		return err
	})
	return answer, answer != nil, err
}

func (o *IdempotentCall) isWanted() bool { return o != nil && o.Key != "" }

// findAnswer finds the stored answer, nil when there is none. Every write that is
// made once asks it again inside its own transaction, since the same call may
// have been answered in the meantime.
func (s *Store) findAnswer(ctx context.Context, q db.Querier, o *IdempotentCall) ([]byte, error) {
	if !o.isWanted() {
		return nil, nil
	}
	row, err := q.Answer(ctx, db.AnswerParams{Scope: o.Scope, Key: o.Key, Since: s.oldestAnswer()})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	case row.BodyHash != o.BodyHash:
		return nil, ErrKeyReused
	}
	return row.Answer, nil
}

func (s *Store) oldestAnswer() int64 { return toMillis(s.now().Add(-IdempotencyWindow)) }

// keepAnswer stores the answer and throws a few of those away that are too old.
func (s *Store) keepAnswer(ctx context.Context, q db.Querier, o *IdempotentCall, personaID string) error {
	if !o.isWanted() {
		return nil
	}
	if err := q.PurgeAnswers(ctx, s.oldestAnswer()); err != nil {
		return err
	}
	return q.KeepAnswer(ctx, db.KeepAnswerParams{
		Scope: o.Scope, Key: o.Key, BodyHash: o.BodyHash, Answer: o.Answer,
		PersonaID: personaID, CreatedAt: toMillis(s.now()),
	})
}

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
