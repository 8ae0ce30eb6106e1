package localserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

func (s *service) me(_ context.Context, c *call, _ *struct{}) (wire.User, error) {
	return wire.User{ID: c.user.ID, Email: c.user.Email, DisplayName: c.user.DisplayName}, nil
}

// migrateBody is wire.Migrate with its limits.
type migrateBody struct{ wire.Migrate }

// TransformSchema gives the members their limits.
func (migrateBody) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	limitText(s, "old_session_id", wire.MaxUserSessionID)
	return s
}

type migrateInput struct{ Body migrateBody }

func (s *service) migrateProgress(ctx context.Context, c *call, in *migrateInput) (wire.Migrated, error) {
	m, err := s.play.Migrate(ctx, c.user.ID, in.Body.OldSessionID)
	return wire.Migrated{
		MigratedSessions: m.Sessions, Personas: append([]string{}, m.Personas...), UserSessionID: in.Body.OldSessionID,
	}, err
}

// newKeyBody is wire.NewKey with its limits.
type newKeyBody struct{ wire.NewKey }

// TransformSchema gives the members their limits.
func (newKeyBody) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	limitText(s, "name", wire.MaxKeyName)
	return s
}

type newKeyInput struct{ Body newKeyBody }

// An API key is keyPrefix and 32 hexadecimal digits; keyShown characters of it
// are kept to recognise it by.
const (
	keyPrefix = "pk_live_"
	keyBytes  = 16
	keyShown  = len(keyPrefix) + 4
)

func (s *service) createKey(ctx context.Context, c *call, in *newKeyInput) (wire.CreatedKey, error) {
	secret := make([]byte, keyBytes)
	// Since Go 1.24 this never fails.
	_, _ = rand.Read(secret)
	key := keyPrefix + hex.EncodeToString(secret)
	hash := sha256.Sum256([]byte(key))
	kept := store.Key{
		ID: uuid.Must(uuid.NewV7()).String(), OwnerID: c.user.ID, Name: in.Body.Name,
		Prefix: key[:keyShown], Hash: hex.EncodeToString(hash[:]), CreatedAt: store.Moment(s.now()),
	}
	if err := s.store.CreateKey(ctx, kept); err != nil {
		return wire.CreatedKey{}, err
	}
	return wire.CreatedKey{
		ID: kept.ID, Name: kept.Name, Key: key, KeyPrefix: kept.Prefix, CreatedAt: wire.Time{Time: kept.CreatedAt},
	}, nil
}
