package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/parley-npc/parley/localserver/store/db"
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
