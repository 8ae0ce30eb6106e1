package localserver

import (
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func TestAPIKeys(t *testing.T) {
	now := time.Now().Truncate(time.Millisecond)
	h := begin(t, func(o *Options) { o.Now = func() time.Time { return now } })
	created := h.send(alice, "POST", wire.PathAPIKeys, `{"name": "my game"}`).want(201)
	key, prefix := created["key"].(string), created["key_prefix"].(string)
	hex := strings.TrimPrefix(key, "pk_live_")
	if len(hex) != 32 || strings.Trim(hex, "0123456789abcdef") != "" || !strings.HasPrefix(key, prefix) || len(prefix) > 12 {
		t.Errorf("key %q with prefix %q", key, prefix)
	}
	h.tokens["the key"] = key
	listed := func(who string) []wire.Key {
		var keys []wire.Key
		answer := h.send(who, "GET", wire.PathAPIKeys, "")
		assert.NotContains(t, string(answer.body), key, "the list shows the key")
		answer.want(200)
		answer.decode(&keys)
		return keys
	}
	if keys := listed(alice); len(keys) != 1 || keys[0].Name != "my game" || keys[0].KeyPrefix != prefix || keys[0].LastUsedAt != nil {
		t.Errorf("%+v", keys)
	}
	h.send(key, "GET", wire.PathSDKPersonas, "").want(200)
	keys := listed(alice)
	assert.True(t, keys[0].LastUsedAt != nil && keys[0].LastUsedAt.Equal(now), "used at %v, listed %+v", now, keys)
	keys = listed(bob)
	assert.True(t, keys != nil && len(keys) == 0, "bob's keys: %+v", keys)

	path := wire.Path(wire.PathAPIKey, created["id"].(string))
	h.send(bob, "DELETE", path, "").fails(404, wire.CodeNotFound)
	h.send(key, "DELETE", path, "").fails(401, wire.CodeUnauthenticated)
	h.send(key, "GET", wire.PathSDKPersonas, "").want(200)
	gone := h.send(alice, "DELETE", path, "")
	assert.True(t, gone.status == 204 && len(gone.body) == 0, "%d %s", gone.status, gone.body)
	h.send(key, "GET", wire.PathSDKPersonas, "").fails(401, wire.CodeUnauthenticated)
	h.send(alice, "DELETE", path, "").fails(404, wire.CodeNotFound)
	assert.Empty(t, listed(alice))
}

// TestKeysThatAreNone sends texts that resemble a key.
func TestKeysThatAreNone(t *testing.T) {
	h := begin(t)
	key := h.key(alice)
	for name, sent := range map[string]string{
		"none": "", "shorter": key[:len(key)-1], "longer": key + "0", "upper case": strings.ToUpper(key), "its hash": api.HashAPIKey(key),
		"another": api.KeyPrefix + strings.Repeat("0", 32), "its start": api.KeyPrefix, "SQL": "' OR 1=1 --", "huge": strings.Repeat("k", 32<<10), "a token": h.token(alice),
	} {
		t.Run(name, func(t *testing.T) {
			h := h.with(t)
			e := h.send("", "GET", wire.PathSDKPersonas, "", wire.HeaderAPIKey, sent).fails(401, wire.CodeUnauthenticated)
			if sent != "" && strings.Contains(e.Message, sent) {
				t.Errorf("%s: it repeats the key: %s", name, e.Message)
			}
		})
	}
	h.send("", "GET", wire.PathSDKPersonas, "", "Authorization", "Bearer "+key).fails(401, wire.CodeUnauthenticated)
	h.send(alice, "GET", wire.PathSDKPersonas, "").fails(401, wire.CodeUnauthenticated)
	h.send("", "GET", wire.PathMe, "", wire.HeaderAPIKey, key).fails(401, wire.CodeUnauthenticated)
	h.send("", "GET", wire.PathSDKPersonas, "", wire.HeaderAPIKey, key).want(200)
}
