package localserver

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

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
	kept := store.Key{
		ID: uuid.Must(uuid.NewV7()).String(), OwnerID: c.user.ID, Name: in.Body.Name,
		Prefix: key[:keyShown], Hash: keyHash(key), CreatedAt: store.Moment(s.now()),
	}
	if err := s.store.CreateKey(ctx, kept); err != nil {
		return wire.CreatedKey{}, err
	}
	return wire.CreatedKey{
		ID: kept.ID, Name: kept.Name, Key: key, KeyPrefix: kept.Prefix, CreatedAt: wire.Time{Time: kept.CreatedAt},
	}, nil
}

// keyHash is what is kept of a key. A key is 128 random bits, so a plain hash
// cannot be turned back by guessing.
func keyHash(key string) string {
	hash := sha256.Sum256([]byte(key))
	return hex.EncodeToString(hash[:])
}

func (s *service) listKeys(ctx context.Context, c *call, _ *struct{}) ([]wire.Key, error) {
	keys, err := s.store.Keys(ctx, c.user.ID)
	list := make([]wire.Key, len(keys))
	for i, k := range keys {
		list[i] = wire.Key{ID: k.ID, Name: k.Name, KeyPrefix: k.Prefix, CreatedAt: wire.Time{Time: k.CreatedAt}}
		if !k.LastUsedAt.IsZero() {
			list[i].LastUsedAt = &wire.Time{Time: k.LastUsedAt}
		}
	}
	return list, err
}

type keyInput struct {
	KeyID string `path:"key_id"`
}

func (s *service) revokeKey(ctx context.Context, c *call, in *keyInput) error {
	err := s.store.RevokeKey(ctx, in.KeyID, c.user.ID)
	if errors.Is(err, store.ErrNotFound) {
		return refuse(http.StatusNotFound, wire.CodeNotFound, "you have no such API key")
	}
	return err
}

// authenticateKey finds the API key that a request is made with. It is asked of
// the store each time, so that a revoked one is refused at once. The store looks
// for its hash, of which nobody can choose the beginning, so the time that this
// takes tells nothing of any key; the comparison that decides takes always the
// same.
func (s *service) authenticateKey(r *http.Request) (store.Key, error) {
	sent := r.Header.Get(wire.HeaderAPIKey)
	if sent == "" {
		return store.Key{}, unknownKey("this needs an API key in the header " + wire.HeaderAPIKey)
	}
	hash := keyHash(sent)
	k, err := s.store.KeyByHash(r.Context(), hash)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return store.Key{}, unknownKey("the API key is unknown or revoked")
	case err != nil:
		return store.Key{}, err
	case subtle.ConstantTimeCompare([]byte(k.Hash), []byte(hash)) != 1:
		return store.Key{}, unknownKey("the API key is unknown or revoked")
	}
	return k, s.store.TouchKey(r.Context(), k)
}

func unknownKey(message string) *failure {
	f := refuse(http.StatusUnauthorized, wire.CodeUnauthenticated, message)
	f.challenge = `ApiKey realm="parley"`
	return f
}
