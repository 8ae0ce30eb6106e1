package localserver

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// newBalancer sends each request to the next of the targets, under the caller's Host or
// under the target's.
func newBalancer(t *testing.T, targets *[]string, keepsHost bool) string {
	t.Helper()
	var next atomic.Uint32
	balancer := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		target, _ := url.Parse((*targets)[int(next.Add(1))%len(*targets)])
		r.SetURL(target)
		r.SetXForwarded()
		if keepsHost {
			r.Out.Host = r.In.Host
		}
	}})
	t.Cleanup(balancer.Close)
	return balancer.URL
}

func readObject(t *testing.T, address string) map[string]any {
	t.Helper()
	answer := assert.Value(http.Get(address))(t)
	defer func() { _ = answer.Body.Close() }()
	var object map[string]any
	assert.NoError(t, json.NewDecoder(answer.Body).Decode(&object), "%s: %d", address, answer.StatusCode)
	return object
}

// TestPublicURLOverNodes: behind a balancer every server refers to the balancer, for any Host
// header: as the resource and issuer of tokens, in each address of the provider, in tokens and in
// play links.
func TestPublicURLOverNodes(t *testing.T) {
	t.Parallel()
	for _, keepsHost := range []bool{true, false} {
		var targets []string
		public := newBalancer(t, &targets, keepsHost)
		nodes := beginNodes(t, 3, func(o *Options) { o.PublicURL = public })
		for _, node := range nodes {
			targets = append(targets, node.URL())
		}
		for range nodes {
			checkNamed(t, readObject(t, public+wire.PathProtectedResource), public, "resource", "authorization_servers", "resource_documentation")
			told := readObject(t, public+"/.well-known/openid-configuration")
			checkNamed(t, told, public, "issuer", "jwks_uri", "authorization_endpoint", "token_endpoint", "device_authorization_endpoint", "revocation_endpoint", "userinfo_endpoint")
		}
		_, tokens := signInOver(t, nodes)
		access := tokens["access_token"].(string)
		checkNamed(t, readClaims(t, access), public, "iss")
		for _, node := range nodes {
			node.userOf(access).want(http.StatusOK)
			checkNamed(t, readObject(t, node.URL()+wire.PathProtectedResource), node.URL(), "resource")
		}
	}
}

// checkNamed compares the beginnings of members with an address.
func checkNamed(t *testing.T, told map[string]any, address string, members ...string) {
	t.Helper()
	for _, member := range members {
		value := told[member]
		if list, ok := value.([]any); ok && len(list) == 1 {
			value = list[0]
		}
		if text, _ := value.(string); text != address && !strings.HasPrefix(text, address+"/") {
			t.Errorf("%s is %v, want it at %s", member, value, address)
		}
	}
}

func readClaims(t *testing.T, token string) (claims map[string]any) {
	t.Helper()
	content, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err == nil {
		err = json.Unmarshal(content, &claims)
	}
	assert.NoError(t, err)
	return claims
}

// TestPublicURLIsRefused: the URL must be a scheme and host, and on other machines the server must
// not accept every address.
func TestPublicURLIsRefused(t *testing.T) {
	t.Parallel()
	development, foreign := TokenSource{}, TokenSource{JWTSecretFile: "secret"}
	for _, c := range []struct {
		public string
		tokens TokenSource
		want   string
	}{
		{"http://127.0.0.1:8080", development, ""},
		{"https://localhost", development, ""},
		{"https://npc.example.com", development, "is for other machines"},
		{"http://10.0.0.1:8080", development, "is for other machines"},
		{"https://npc.example.com", foreign, ""},
		{"https://npc.example.com/parley", foreign, "must be a scheme and a host"},
		{"https://NPC.example.com", foreign, "must be a scheme and a host"},
		{"npc.example.com", foreign, "must be a scheme and a host"},
		{"https://kim:secret@npc.example.com", foreign, "must be a scheme and a host"},
	} {
		err := Options{PublicURL: c.public, Tokens: c.tokens}.checkPublicURL()
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.public, err, c.want)
		}
	}
}
