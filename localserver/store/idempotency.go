package store

import (
	"context"
	"database/sql"

	"github.com/parley-npc/parley/localserver/store/db"
)

// LoadAnswer returns the stored answer of a repeated call. ok is false if there is none. If the
// caller may no longer see the answer, LoadAnswer returns the errors of LoadSession. If the body
// differs, it returns ErrKeyReused.
func (s *Store) LoadAnswer(ctx context.Context, o *IdempotentCall) (answer []byte, ok bool, err error) {
	if !o.isWanted() {
		return nil, false, nil
	}
	answer, err = fetch(ctx, s.database.Read, func(ctx context.Context, q *db.Queries) ([]byte, error) {
		return s.findAnswer(ctx, q, o)
	})
	return answer, answer != nil, err
}

func (o *IdempotentCall) isWanted() bool { return o != nil && o.Key != "" }

// findAnswer returns the stored answer, or nil. Each idempotent write calls findAnswer again in its
// transaction, because the same call may have been answered since LoadAnswer.
func (s *Store) findAnswer(ctx context.Context, q *db.Queries, o *IdempotentCall) ([]byte, error) {
	if !o.isWanted() {
		return nil, nil
	}
	row, err := q.Answer(ctx, db.AnswerParams{Scope: o.Scope, Key: o.Key, Since: s.oldestAnswer()})
	if err != nil {
		return nil, ifMissing(err, nil)
	}
	if own, err := isOwnAnswer(ctx, q, o, row.PlayerID); err != nil || !own {
		return nil, err
	}
	if row.BodyHash != o.BodyHash {
		return nil, ErrKeyReused
	}
	return row.Answer, nil
}

// isOwnAnswer reports whether a stored answer belongs to the player in the current call. Since the
// answer was stored, the persona or the player may have been deleted, or another user may have
// become the player's owner.
func isOwnAnswer(ctx context.Context, q *db.Queries, o *IdempotentCall, playerID sql.NullString) (bool, error) {
	if o.Player == nil {
		return true, nil
	}
	if _, err := findHead(ctx, q, *o.Player); err != nil {
		return false, err
	}
	id, err := findPlayer(ctx, q, *o.Player)
	return id != "" && id == playerID.String, err
}

func (s *Store) oldestAnswer() int64 { return toMillis(s.now().Add(-IdempotencyWindow)) }

// answerSubject identifies the rows on which a stored answer depends. If one of them is deleted, so
// is the answer. The answer to an opening does not depend on the session: otherwise a late
// repetition of init-session would replace a newer session.
type answerSubject struct{ personaID, playerID, sessionID string }

func (s *Store) keepAnswer(ctx context.Context, q *db.Queries, o *IdempotentCall, about answerSubject) error {
	if !o.isWanted() {
		return nil
	}
	if err := q.PurgeAnswers(ctx, s.oldestAnswer()); err != nil {
		return err
	}
	return q.KeepAnswer(ctx, db.KeepAnswerParams{
		Scope: o.Scope, Key: o.Key, BodyHash: o.BodyHash, Answer: o.Answer,
		PersonaID: about.personaID, PlayerID: orNull(about.playerID), SessionID: orNull(about.sessionID), CreatedAt: toMillis(s.now()),
	})
}
