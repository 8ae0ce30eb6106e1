package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
)

// Limits of an account. Revoked keys beyond maxRevokedKeys are deleted.
const (
	MaxKeys        = 50
	maxRevokedKeys = 50
)

// ErrManyKeys means that the account already has MaxKeys API keys.
var ErrManyKeys = fmt.Errorf("the account has %d API keys, which is the maximum", MaxKeys)

// CreateKey stores an API key. CreateKey returns ErrConflict if the id or hash exists, and
// ErrManyKeys.
func (s *Store) CreateKey(ctx context.Context, key Key) error {
	err := s.database.Write(ctx, func(ctx context.Context, q *db.Queries) error {
		if err := q.HoldKeys(ctx, key.OwnerID); err != nil {
			return err
		}
		count, err := q.CountKeys(ctx, key.OwnerID)
		switch {
		case err != nil:
			return err
		case count >= MaxKeys:
			return ErrManyKeys
		}
		dropped := db.DropRevokedKeysParams{Owner: key.OwnerID, Most: maxRevokedKeys}
		if err := q.DropRevokedKeys(ctx, dropped); err != nil {
			return err
		}
		return q.InsertKey(ctx, db.InsertKeyParams{
			ID: key.ID, OwnerID: key.OwnerID, Name: key.Name, Prefix: key.Prefix, Hash: key.Hash,
			CreatedAt: toMillis(key.CreatedAt),
		})
	})
	if s.database.IsTaken(err) {
		return ErrConflict
	}
	return err
}

// ListKeys lists the owner's active keys, newest first.
func (s *Store) ListKeys(ctx context.Context, owner string) ([]Key, error) {
	rows, err := query(ctx, s.database, (*db.Queries).Keys, owner)
	keys := make([]Key, len(rows))
	for i, row := range rows {
		keys[i] = keyOf(row)
	}
	return keys, err
}

// KeyByHash returns the active key with a hash, or ErrNotFound.
func (s *Store) KeyByHash(ctx context.Context, hash string) (Key, error) {
	row, err := query(ctx, s.database, (*db.Queries).KeyByHash, hash)
	if err != nil {
		return Key{}, ifMissing(err, ErrNotFound)
	}
	return keyOf(row), nil
}

func keyOf(row db.ApiKey) Key {
	key := Key{
		ID: row.ID, OwnerID: row.OwnerID, Name: row.Name, Prefix: row.Prefix, Hash: row.Hash,
		CreatedAt: fromMillis(row.CreatedAt),
	}
	if row.LastUsedAt.Valid {
		key.LastUsedAt = fromMillis(row.LastUsedAt.Int64)
	}
	return key
}

// RevokeKey revokes a key permanently. RevokeKey returns ErrNotFound for another user's key or a
// revoked key.
func (s *Store) RevokeKey(ctx context.Context, id, owner string) error {
	return s.database.Write(ctx, func(ctx context.Context, q *db.Queries) error {
		n, err := q.RevokeKey(ctx, db.RevokeKeyParams{ID: id, Owner: owner, RevokedAt: someTime(s.now())})
		if err == nil && n == 0 {
			return ErrNotFound
		}
		return err
	})
}

const keyUseGrain = time.Minute

// TouchKey records the use of a key, to the minute. TouchKey ignores errors of a full or lost disk,
// because reads still work.
func (s *Store) TouchKey(ctx context.Context, key Key) error {
	now := s.now()
	if now.Sub(key.LastUsedAt) < keyUseGrain {
		return nil
	}
	err := s.database.Write(ctx, func(ctx context.Context, q *db.Queries) error {
		return q.TouchKey(ctx, db.TouchKeyParams{ID: key.ID, LastUsedAt: someTime(now)})
	})
	if IsUnkept(err) {
		return nil
	}
	return err
}

func someTime(t time.Time) sql.NullInt64 { return sql.NullInt64{Int64: toMillis(t), Valid: true} }
