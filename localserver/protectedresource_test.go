package localserver

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// readResource reads the metadata at a path.
func (h *harness) readResource(path string, headers ...string) wire.ProtectedResource {
	h.Helper()
	var told wire.ProtectedResource
	answer := h.send("", "GET", path, "", headers...)
	answer.want(200)
	assert.NoError(h, json.Unmarshal(answer.body, &told))
	return told
}

var metadataParameter = regexp.MustCompile(`^Bearer realm="parley", resource_metadata="([^"]+)"`)

// metadataOf returns the URL of the metadata in a challenge.
func metadataOf(answer replied) string {
	found := metadataParameter.FindStringSubmatch(answer.header.Get("WWW-Authenticate"))
	if found == nil {
		answer.Errorf("WWW-Authenticate %q names no resource_metadata", answer.header.Get("WWW-Authenticate"))
		return ""
	}
	return found[1]
}

// TestEveryChallengeNamesTheMetadata: each endpoint for bearer tokens returns the challenge for a
// missing and for an invalid token, and a client with only this information finds the issuer.
func TestEveryChallengeNamesTheMetadata(t *testing.T) {
	h := begin(t, func(o *Options) { o.ChatAuth = ChatAuthRequired })
	filled := strings.NewReplacer("{persona_id}", "01a1fd78-c62d-7949-ba09-a82940007f70", "{key_id}", "k")
	h.tokens["nobody"] = "not.a.token"
	for _, row := range routes {
		if row.Access.NeedsAPIKey() {
			continue
		}
		t.Run(row.ID, func(t *testing.T) {
			h := h.with(t)
			bad := h.send("nobody", row.Method, filled.Replace(row.Path), "{}")
			bad.want(401)
			if challenge := bad.header.Get("WWW-Authenticate"); metadataOf(bad) != h.URL()+wire.PathProtectedResource || !strings.Contains(challenge, `, error="invalid_token", error_description="`) {
				t.Errorf("a bad token: %s", challenge)
			}
			none := h.send("", row.Method, filled.Replace(row.Path), "{}")
			if row.Access == api.Account && none.status != 401 {
				t.Errorf("%d without a token", none.status)
			}
			if none.status == 401 && (metadataOf(none) == "" || strings.Contains(none.header.Get("WWW-Authenticate"), "error=")) {
				t.Errorf("no token: %s", none.header.Get("WWW-Authenticate"))
			}
		})
	}
	other := h.send("", "GET", wire.PathMe, "", "Authorization", "Basic eDp5")
	other.fails(401, wire.CodeUnauthenticated)
	assert.NotContains(t, other.header.Get("WWW-Authenticate"), "error=", "another scheme")
	assert.Equal(t, h.send("", "GET", wire.PathSDKPersonas, "").header.Get("WWW-Authenticate"), `ApiKey realm="parley"`, "for an API key")
	address := strings.TrimPrefix(metadataOf(other), h.URL())
	told := h.readResource(address)
	assert.True(t, told.Resource == h.URL() && slices.Equal(told.AuthorizationServers, []string{h.URL()}), "told %+v", told)
}

func TestProtectedResource(t *testing.T) {
	provider := begin(t)
	const root, below = wire.PathProtectedResource, wire.PathProtectedResource + "/play"
	trusted := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for _, c := range []struct {
		name               string
		tokens             TokenSource
		proxies            []netip.Prefix
		headers            []string
		resource, metadata string // "" is the address that was called
		serves             map[string]int
	}{
		{"a name", TokenSource{Audience: "parley"}, nil, nil, "", "", map[string]int{root: 200, below: 404}},
		{"another name of it", TokenSource{Audience: "parley"}, nil, []string{"Host", "parley.example.com"}, "http://parley.example.com", "http://parley.example.com" + root, nil},
		{"TLS before it", TokenSource{Audience: "parley"}, nil, []string{"Host", "parley.example.com", "X-Forwarded-Proto", "https"}, "https://parley.example.com", "https://parley.example.com" + root, nil},
		{
			"a proxy that is believed", TokenSource{Audience: "parley"}, trusted,
			[]string{"X-Forwarded-For", "192.0.2.1", "X-Forwarded-Host", "game.example, 10.0.0.1", "X-Forwarded-Proto", "https"}, "https://game.example", "https://game.example" + root, nil,
		},
		{"a proxy that is not", TokenSource{Audience: "parley"}, nil, []string{"X-Forwarded-Host", "evil.example"}, "", "", nil},
		{"nonsense of a proxy", TokenSource{Audience: "parley"}, trusted, []string{"X-Forwarded-For", "192.0.2.1", "X-Forwarded-Host", `a" error="b`}, "", "", nil},
		{"a URL that is but a name", TokenSource{Audience: "https://api.example.com/parley"}, nil, nil, "https://api.example.com/parley", "", nil},
		{"a URL that is no http", TokenSource{Audience: "api://0f1e"}, nil, nil, "", "", nil},
		{
			"a URL that is the address", TokenSource{Audience: "https://parley.example.com/"}, nil, []string{"Host", "parley.example.com"},
			"https://parley.example.com/", "https://parley.example.com" + root, nil,
		},
		{
			"a path", TokenSource{Audience: "parley", Resource: "https://game.example/play"}, nil, nil,
			"https://game.example/play", "https://game.example" + below, map[string]int{root: 200, below: 200, below + "/": 200, root + "/x": 404},
		},
		{
			"a path that ends in a slash", TokenSource{Audience: "parley", Resource: "https://game.example/play/"}, nil, nil,
			"https://game.example/play/", "https://game.example" + below + "/", map[string]int{root: 200, below + "/": 200, below: 200, below + "/x": 404},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := begin(t, func(o *Options) {
				o.Tokens, o.TrustedProxies, o.Hosts = c.tokens, c.proxies, []string{"parley.example.com"}
				o.Tokens.Issuer = provider.URL()
			})
			h.client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // The document does not describe paths below the page's.
			if c.resource == "" {
				c.resource = h.URL()
			}
			if c.metadata == "" {
				c.metadata = h.URL() + root
			}
			if told := h.readResource(root, c.headers...); told.Resource != c.resource || !slices.Equal(told.AuthorizationServers, []string{provider.URL()}) ||
				!slices.Equal(told.BearerMethodsSupported, []string{"header"}) || !slices.Contains(told.ScopesSupported, "openid") {
				t.Errorf("told %+v, want the resource %s", told, c.resource)
			}
			assert.Equal(t, metadataOf(h.send("", "GET", wire.PathMe, "", c.headers...)), c.metadata, "metadata at")
			for path, status := range c.serves {
				assert.Equal(t, h.send("", "GET", path, "").status, status, path)
			}
		})
	}
}

// TestTokensForTheResource: a provider that issues tokens for resources (RFC 8707) writes the
// server's URL into them. An unconfigured address is not enough: a caller who can choose Host, or
// has the same address elsewhere, would choose the audience.
func TestTokensForTheResource(t *testing.T) {
	const shared = "3f9c0b7de28a4651c7fa90d35be8126e"
	for _, c := range []struct {
		tokens   TokenSource
		audience string // "" is the server's own address
		status   int
	}{
		{TokenSource{Audience: "parley", Resource: "https://parley.example.com"}, "https://parley.example.com", 200},
		{TokenSource{Audience: "parley", Resource: "https://parley.example.com"}, "https://parley.example.com/", 200},
		{TokenSource{Audience: "parley", Resource: "https://parley.example.com/a"}, "https://parley.example.com/a", 200},
		{TokenSource{Audience: "parley", Resource: "https://parley.example.com/a"}, "https://parley.example.com", 401},
		{TokenSource{Audience: "parley", Resource: "https://parley.example.com"}, "parley", 200},
		{TokenSource{Audience: "https://parley.example.com"}, "https://parley.example.com/", 200},
		{TokenSource{Audience: "https://parley.example.com"}, "https://parley.example.com.evil.example/", 401},
		{TokenSource{Audience: "parley"}, "", 401},
	} {
		t.Run(caseName(c.tokens.Audience, c.tokens.Resource, c.audience), func(t *testing.T) {
			h := begin(t, func(o *Options) { o.Tokens = c.tokens; o.Tokens.JWTSecretFile = secretFile(t, shared) })
			if c.audience == "" {
				c.audience = h.URL()
			}
			h.tokens[alice] = signShared(shared, map[string]any{"sub": alice, "aud": c.audience})
			answer := h.send(alice, "GET", wire.PathMe, "")
			assert.Equal(t, answer.status, c.status, "%d for %s, want %d: %s", answer.status, c.audience, c.status, answer.body)
			told := h.readResource(wire.PathProtectedResource)
			assert.True(t, told.AuthorizationServers == nil, "told %+v", told)
		})
	}
}

func TestResourceIsAURL(t *testing.T) {
	for _, bad := range []string{
		"parley", "parley.example.com", "api://parley", "https://", "https://u:p@a.example", "https://a.example?x", "https://a.example#", "https://a.example/#x",
		"https://a.example/..", "https://a.example/{x...}", "https://a.example/a//b", "https://a.example/%2e", `https://a.example/"`, "https://a.example/ä", "https://a.example/?",
	} {
		t.Run(bad, func(t *testing.T) {
			server, err := Start(t.Context(), Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, Tokens: TokenSource{JWTSecretFile: "f", Resource: bad}})
			if err == nil {
				_ = server.Close()
			}
			assert.ErrorContains(t, err, "resource ", bad)
		})
	}
}
