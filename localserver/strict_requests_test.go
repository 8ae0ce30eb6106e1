package localserver

import (
	"net/http"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestHeadersThatAreThereTwice: a second key, token or idempotency key is refused before anything
// is done, and not ignored.
func TestHeadersThatAreThereTwice(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	for _, name := range []string{
		"Authorization", "Content-Type", wire.HeaderIdempotencyKey, wire.HeaderAPIKey, wire.HeaderLLMKey, wire.HeaderLLMModel, wire.HeaderLLMEvalKey,
	} {
		r := assert.Value(http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL()+wire.Path(wire.PathInitSession, id), strings.NewReader(initJSON("twice"))))(t)
		r.Header[http.CanonicalHeaderKey(name)] = []string{"application/json", "application/json"}
		response := assert.Value(http.DefaultClient.Do(r))(t)
		assert.Equal(t, response.StatusCode, http.StatusBadRequest, "%s: %s", name, response.Status)
		assert.NoError(t, response.Body.Close())
	}
	h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id=twice", "").fails(404, wire.CodeNotFound)
}

// TestHalvesOfCharacters: a body with half of a character is refused. Decoders would replace it by
// U+FFFD, and "a\ud800" and "a\ud801" would be the same player.
func TestHalvesOfCharacters(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	path := wire.Path(wire.PathInitSession, id)
	for _, half := range []string{`a\ud800`, `\udc00a`, `\ud800\ud800`, `\uDBFF\u0041`, `\ud83d \ude00`, `\\\ud800`} {
		h.send("", "POST", path, strings.Replace(initJSON("ann"), "ann", half, 1)).fails(400, wire.CodeBadRequest)
	}
	for _, whole := range []string{`\ud83d\ude00`, `\\ud800`, `\\\\udc00`, `\u00e9`, `\"`} {
		h.send("", "POST", path, strings.Replace(initJSON("ann"), "ann", whole, 1)).want(200)
	}
}

// TestOptionsThatNameNoHost: options refuse invalid ports and invalid host names.
func TestOptionsThatNameNoHost(t *testing.T) {
	for name, o := range map[string]Options{
		"a public URL's port": {PublicURL: "http://localhost:99999"}, "port 0": {PublicURL: "http://localhost:0"},
		"no host": {Hosts: []string{""}}, "a host with a scheme": {Hosts: []string{"http://localhost"}}, "a host with a space": {Hosts: []string{"local host"}},
		"a wildcard": {Hosts: []string{"*"}}, "a play URL's port": {PlayURL: "http://localhost:99999/play"}, "a play URL that is none": {PlayURL: "play"},
	} {
		o.Listen, o.Data = "127.0.0.1:0", datafolder.Memory
		server, err := Start(t.Context(), o)
		if err == nil {
			_ = server.Close()
			t.Errorf("%s: it starts", name)
		}
	}
	for _, origin := range []string{"http://localhost:99999", "http://localhost:0", "http://localhost:-1"} {
		_, err := api.ParseOrigin(origin)
		assert.True(t, err != nil, "the origin %s is taken", origin)
	}
}
