package identity

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/parley-npc/parley/personas/assert"
)

func TestUsableKeys(t *testing.T) {
	raw := func(change ...any) json.RawMessage {
		key := newKey(t, "k", jose.ES256).publicJWK()
		for i := 0; i < len(change); i += 2 {
			key[change[i].(string)] = change[i+1]
		}
		text, _ := json.Marshal(key)
		return text
	}
	for _, c := range []struct {
		key  json.RawMessage
		want int
	}{
		{raw(), 1}, {raw("use", "enc"), 0}, {raw("x", "AAAA"), 0}, {raw("crv", "P-999"), 0}, {json.RawMessage(`"text"`), 0},
	} {
		t.Run(fmt.Sprintf("%.80s", c.key), func(t *testing.T) {
			got, _ := usableKeys([]json.RawMessage{c.key})
			assert.Equal(t, len(got), c.want, c.key)
		})
	}
	many := make([]json.RawMessage, maxKeys+1)
	for i := range many {
		many[i] = raw()
	}
	list, _ := usableKeys(many)
	assert.Equal(t, len(list), maxKeys, "keys are kept")
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	if err == nil && canSign(jose.JSONWebKey{Key: short.Public()}, "", "RS256") {
		t.Error("an RSA key of 1024 bits is accepted")
	}
}

func FuzzKeys(f *testing.F) {
	text, _ := json.Marshal(newKey(f, "k", jose.RS256).publicJWK())
	f.Add(text)
	f.Add([]byte(`{"kty":"OKP","crv":"Ed25519","x":""}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, faults := usableKeys([]json.RawMessage{raw})
		assert.Must(t, len(list)+len(faults) == 1, "%d keys and %v", len(list), faults)
		for _, key := range list {
			if !slices.ContainsFunc(externalAlgorithms, func(a jose.SignatureAlgorithm) bool { return canSign(key, "", string(a)) }) {
				t.Errorf("a key that can sign nothing: %s", raw)
			}
		}
	})
}
