package localserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestSignInPagesAreLimited: the pages of the development provider count with all other
// pages, and each of them is refused at the limit.
func TestSignInPagesAreLimited(t *testing.T) {
	h, clock := beginLimited(t)
	provider := assert.Value(identity.OpenProvider(identity.ProviderOptions{Dir: t.TempDir()}))(t)
	most := numberOf(api.LimitPages)
	for i := range most {
		h.send("", "GET", "/oauth/jwks.json", "").checkCounted(most, most-1-i)
	}
	for _, pattern := range provider.RoutePatterns() {
		method, path, _ := strings.Cut(pattern, " ")
		h.send("", method, path, "").checkRefused(most, api.LimitPages)
	}
	clock.forward(h.send("", "GET", "/oauth/device", "").checkRefused(most, api.LimitPages))
	h.send("", "GET", "/oauth/device", "").want(200)
}

// TestMetricsBehindAProxy: requests that an untrusted proxy on this machine forwards are not local.
func TestMetricsBehindAProxy(t *testing.T) {
	h := begin(t)
	h.send("", "GET", "/metrics", "").want(200)
	for _, header := range []string{"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via"} {
		h.send("", "GET", "/metrics", "", header, "198.51.100.1").fails(404, wire.CodeNotFound)
	}
}

// TestOpenAddressIsWarnedOf: a server that other machines can reach warns that tokens are sent
// unencrypted, and one on loopback does not.
func TestOpenAddressIsWarnedOf(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shared")
	assert.NoError(t, os.WriteFile(file, []byte("3f9c0b7de28a4651c7fa90d35be8126e"), 0o600))
	for listen, want := range map[string]bool{"0.0.0.0:0": true, "[::]:0": true, "127.0.0.1:0": false} {
		h := begin(t, func(o *Options) { o.Listen, o.Tokens = listen, TokenSource{JWTSecretFile: file} })
		log := h.journal.String()
		assert.True(t, strings.Contains(log, "unencrypted") == want && strings.Contains(log, `"level":"WARN"`) == want, "%s: %s", listen, log)
	}
}

// TestSecretWithoutAudienceIsWarnedOf: without an audience, the server would accept a token for
// another service that was signed with the same secret.
func TestSecretWithoutAudienceIsWarnedOf(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shared")
	assert.NoError(t, os.WriteFile(file, []byte("3f9c0b7de28a4651c7fa90d35be8126e"), 0o600))
	for _, c := range []struct {
		listen, audience string
		want             bool
	}{{"0.0.0.0:0", "", true}, {"0.0.0.0:0", "parley", false}, {"127.0.0.1:0", "", false}} {
		h := begin(t, func(o *Options) {
			o.Listen, o.Tokens = c.listen, TokenSource{JWTSecretFile: file, Audience: c.audience}
		})
		assert.Equal(t, strings.Contains(h.journal.String(), "--audience"), c.want)
	}
}

// TestSecretToken: a token issued with the secret's file is accepted only for the server's
// audience, as the user with that address in the development provider.
func TestSecretToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "shared")
	assert.NoError(t, os.WriteFile(file, []byte("3f9c0b7de28a4651c7fa90d35be8126e\n"), 0o600))
	own := begin(t)
	id := own.send(alice, "GET", wire.PathMe, "").want(200)["id"]
	h := begin(t, func(o *Options) { o.Tokens = TokenSource{JWTSecretFile: file, Audience: "parley"} })
	for audience, want := range map[string]int{"parley": 200, "": 401, "shop": 401} {
		token := assert.Value(SecretToken(file, alice, audience, time.Minute))(t)
		h.tokens[alice] = token
		if got := h.send(alice, "GET", wire.PathMe, "").want(want); want == 200 && (got["id"] != id || got["email"] != alice) {
			t.Errorf("%v, want %v", got, id)
		}
	}
	_, err := SecretToken(file, alice, "parley", -time.Minute)
	assert.True(t, err != nil, "a token that has expired already is made")
}

// TestSignInFileOfAnotherServer: two servers have the same folder if it was moved or recreated
// while the first server ran. Neither removes the other's sign-in file.
func TestSignInFileOfAnotherServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first := begin(t, func(o *Options) { o.Data = dir })
	if err := os.Rename(dir, dir+".moved"); err != nil {
		t.Skip("a folder in use cannot be moved here")
	}
	second := begin(t, func(o *Options) { o.Data = dir })
	_ = first.Close() // Its database has moved.
	first.broken = true
	in, err := ReadSignIn(dir)
	assert.True(t, err == nil && in.Address == second.URL() && in.Token == second.Token(), "the second server's file: %v, %v", in.Address, err)
}

// TestOriginSchemes: only origins with http and https are accepted, because browsers send
// credentials only to these and other schemes do not identify a page.
func TestOriginSchemes(t *testing.T) {
	for _, origin := range []string{"ftp://game.example", "file://host", "chrome-extension://abcdef", "javascript://game.example", "null://x", "ws://game.example", "data://a"} {
		got, err := api.ParseOrigin(origin)
		assert.True(t, err != nil, "%s is taken as %s", origin, got)
		_, err = Start(t.Context(), Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, CORSOrigins: []string{origin}})
		assert.True(t, err != nil, "a server with %s starts", origin)
	}
	for _, origin := range []string{"https://game.example", "http://localhost:5173", "HTTPS://GAME.example"} {
		assert.Value(api.ParseOrigin(origin))(t)
	}
}
