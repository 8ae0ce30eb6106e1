package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/parley-npc/parley/localserver/store/db"
)

// LoadAnswer returns the stored answer of a repeated call; ok is false if there is none. It refuses
// as LoadSession does if there is one and the caller has lost the right to it, and with
// ErrKeyReused if the key was used with another body.
func (s *Store) LoadAnswer(ctx context.Context, o *IdempotentCall) (answer []byte, ok bool, err error) {
	if !o.isWanted() {
		return nil, false, nil
	}
	err = s.database.Read(ctx, func(ctx context.Context, q *db.Queries) error {
		answer, err = s.findAnswer(ctx, q, o)
		return err
	})
	return answer, answer != nil, err
}

func (o *IdempotentCall) isWanted() bool { return o != nil && o.Key != "" }

// findAnswer returns the stored answer, or nil. Every idempotent write calls it again in its own
// transaction, because the same call may have been answered meanwhile.
func (s *Store) findAnswer(ctx context.Context, q *db.Queries, o *IdempotentCall) ([]byte, error) {
	if !o.isWanted() {
		return nil, nil
	}
	row, err := q.Answer(ctx, db.AnswerParams{Scope: o.Scope, Key: o.Key, Since: s.oldestAnswer()})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if own, err := isOwnAnswer(ctx, q, o, row.PlayerID); err != nil || !own {
		return nil, err
	}
	if row.BodyHash != o.BodyHash {
		return nil, ErrKeyReused
	}
	return row.Answer, nil
}

// isOwnAnswer reports whether an answer was given to the player for whom the caller acts now.
// Meanwhile the persona may have been unpublished, and the player may have been deleted or may
// belong to another user. A server of the last version stores no player with an answer.
func isOwnAnswer(ctx context.Context, q *db.Queries, o *IdempotentCall, playerID sql.NullString) (bool, error) {
	if o.Player == nil {
		return true, nil
	}
	if _, err := findHead(ctx, q, *o.Player); err != nil {
		return false, err
	}
	id, err := findPlayer(ctx, q, *o.Player)
	return id != "" && (!playerID.Valid || id == playerID.String), err
}

func (s *Store) oldestAnswer() int64 { return toMillis(s.now().Add(-IdempotencyWindow)) }

// answerSubject is the row that an answer is deleted with: a persona, for players' calls the
// player, and for messages the session. An opening's answer outlives its session, so that a late
// repetition of init-session does not restart what has begun since.
type answerSubject struct{ personaID, playerID, sessionID string }

// keepAnswer stores the answer and throws a few of those away that are too old.
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
