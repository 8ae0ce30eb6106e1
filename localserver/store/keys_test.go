package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

// TestKeysAreBounded: the keys of an account, and its revoked keys, are bounded, for any number of
// creations and revocations.
func TestKeysAreBounded(t *testing.T) { onEachDatabase(t, checkKeysAreBounded) }

func checkKeysAreBounded(t *testing.T, open opener) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	s := withUsers(t, open(t, Options{Now: func() time.Time { now = now.Add(time.Second); return now }}))
	create := func(i int) error {
		return s.CreateKey(t.Context(), Key{ID: fmt.Sprintf("%04d", i), OwnerID: alice.ID, Hash: fmt.Sprint("h", i), CreatedAt: now})
	}
	for i := range MaxKeys {
		assert.NoError(t, create(i))
	}
	checkRefuses(t, "one key too many", create(MaxKeys), ErrManyKeys)
	const loops = 2*maxRevokedKeys + 5
	for i := range loops {
		assert.NoError(t, s.RevokeKey(t.Context(), fmt.Sprintf("%04d", i), alice.ID))
		assert.NoError(t, create(MaxKeys+i))
	}
	checkRefuses(t, "one key too many after revoking", create(MaxKeys+loops), ErrManyKeys)
	assert.Equal(t, countRows(t, s, "api_keys"), MaxKeys+maxRevokedKeys, "rows of keys")
	keys, err := s.ListKeys(t.Context(), alice.ID)
	if err != nil || len(keys) != MaxKeys || slices.ContainsFunc(keys, func(k Key) bool { return k.ID < fmt.Sprintf("%04d", loops) }) {
		t.Errorf("%d keys, %v", len(keys), err)
	}
	assert.NoError(t, s.CreateKey(t.Context(), Key{ID: "bob's", OwnerID: bob.ID, Hash: "bob's"}))
}
