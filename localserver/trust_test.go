package localserver

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestSignInPagesAreLimited: the pages of the development provider count with all other pages.
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

// TestOpenAddressIsWarnedOf: a server that other machines can reach warns of unencrypted tokens, and
// of a secret without an audience, because it accepts tokens for other services.
func TestOpenAddressIsWarnedOf(t *testing.T) {
	file := secretFile(t, "3f9c0b7de28a4651c7fa90d35be8126e")
	for _, c := range []struct {
		listen, audience        string
		unencrypted, anyService bool
	}{{"0.0.0.0:0", "", true, true}, {"[::]:0", "", true, true}, {"0.0.0.0:0", "parley", true, false}, {"127.0.0.1:0", "", false, false}} {
		h := begin(t, func(o *Options) {
			o.Listen, o.Tokens = c.listen, TokenSource{JWTSecretFile: file, Audience: c.audience}
		})
		log := h.journal.String()
		assert.Equal(t, strings.Contains(log, "unencrypted"), c.unencrypted, c.listen)
		assert.Equal(t, strings.Contains(log, "--audience"), c.anyService, c.listen)
		assert.Equal(t, strings.Contains(log, `"level":"WARN"`), c.unencrypted, c.listen)
	}
}

// TestSecretToken: a token of the secret is accepted only for the server's audience.
func TestSecretToken(t *testing.T) {
	file := secretFile(t, "3f9c0b7de28a4651c7fa90d35be8126e")
	secret := assert.Value(identity.OpenSecret(file, nil, nil))(t)
	own := begin(t)
	id := own.send(alice, "GET", wire.PathMe, "").want(200)["id"]
	h := begin(t, func(o *Options) { o.Tokens = TokenSource{JWTSecretFile: file, Audience: "parley"} })
	for audience, want := range map[string]int{"parley": 200, "": 401, "shop": 401} {
		token := assert.Value(secret.IssueToken(alice, audience, time.Minute))(t)
		h.tokens[alice] = token
		if got := h.send(alice, "GET", wire.PathMe, "").want(want); want == 200 && (got["id"] != id || got["email"] != alice) {
			t.Errorf("%v, want %v", got, id)
		}
	}
	_, err := secret.IssueToken(alice, "parley", -time.Minute)
	assert.True(t, err != nil, "a token that has expired already is made")
}

// TestSignInFileOfAnotherServer: a server does not remove another server's sign-in file.
func TestSignInFileOfAnotherServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first := begin(t, func(o *Options) { o.Data = dir })
	if err := os.Rename(dir, dir+".moved"); err != nil {
		t.Skip("a folder in use cannot be moved here")
	}
	second := begin(t, func(o *Options) { o.Data = dir })
	_ = first.Close() // Its database has moved.
	first.broken = true
	in, err := identity.ReadSignIn(dir)
	assert.NoError(t, err)
	assert.Equal(t, in.Address, second.URL())
	assert.Equal(t, in.Token, second.Token())
}

const site = "https://game.example"

func (r replied) corsHeaders() (names []string) {
	for name := range r.header {
		if strings.HasPrefix(name, "Access-Control-") {
			names = append(names, name)
		}
	}
	return names
}

func (h *harness) preflight(origin, method, path string) replied {
	h.Helper()
	return h.send("", http.MethodOptions, path, "", "Origin", origin, "Sec-Fetch-Site", "cross-site",
		"Access-Control-Request-Method", method, "Access-Control-Request-Headers", "authorization, content-type")
}

func TestNoCORSUnlessAsked(t *testing.T) {
	h := begin(t)
	for _, answer := range []replied{
		h.send("", "GET", wire.PathPersonas, "", "Origin", site, "Sec-Fetch-Site", "cross-site"),
		h.send("", "GET", wire.PathPersonas, "", "Origin", h.URL()),
		h.preflight(site, "POST", wire.PathSave),
	} {
		names := answer.corsHeaders()
		assert.True(t, len(names) == 0 && answer.header.Get("Vary") == "", "%d has %v", answer.status, answer.header)
	}
	h.preflight(site, "POST", wire.PathSave).fails(405, wire.CodeMethod)
}

func TestCORS(t *testing.T) {
	h := begin(t, func(o *Options) { o.CORSOrigins = []string{site, "http://LOCALHOST:5173/"} })
	h.client = &http.Client{Transport: &http.Transport{}} // The document does not describe OPTIONS.
	for origin, ok := range map[string]bool{
		site: true, "http://localhost:5173": true,
		"https://evil.example": false, "http://game.example": false, "https://game.example:444": false, "https://x.game.example": false,
		"https://game.example.evil.example": false, "null": false, "http://localhost:5174": false, "HTTPS://GAME.EXAMPLE": false,
	} {
		h.run(t, origin, func(t *testing.T, h *harness) {
			asked := h.preflight(origin, "POST", wire.PathSave)
			got := h.send("", "GET", wire.PathPersonas, "", "Origin", origin, "Sec-Fetch-Site", "cross-site")
			posted := h.send("", "POST", wire.PathSave, "{}", "Origin", origin, "Sec-Fetch-Site", "cross-site")
			got.want(200)
			for _, answer := range []replied{asked, got, posted} {
				assert.True(t, answer.header.Get("Vary") != "", "%s: no Vary: %v", origin, answer.header)
				if allowed := answer.header.Get("Access-Control-Allow-Origin"); ok && allowed != origin || !ok && len(answer.corsHeaders()) > 0 {
					t.Errorf("%s: %d %v", origin, answer.status, answer.header)
				}
				assert.Equal(t, answer.header.Get("Access-Control-Allow-Credentials"), "", "%s: credentials are allowed", origin)
			}
			if !ok {
				asked.fails(405, wire.CodeMethod)
				posted.fails(403, wire.CodeForbidden)
				return
			}
			asked.want(204)
			// Errors can be read too.
			posted.fails(401, wire.CodeUnauthenticated)
			exposed := strings.ToLower(got.header.Get("Access-Control-Expose-Headers")) + ","
			for name := range description().doc.Components.Headers {
				assert.Contains(t, exposed, strings.ToLower(name)+",", "%s is described, and a page may read only", name)
			}
		})
	}
}

func TestPreflightAllowsWhatTheInterfaceNeeds(t *testing.T) {
	h := begin(t, func(o *Options) { o.CORSOrigins = []string{site} })
	h.client = &http.Client{Transport: &http.Transport{}}
	answer := h.preflight(site, "POST", wire.PathSDKMessage)
	methods, headers := answer.header.Get("Access-Control-Allow-Methods"), answer.header.Get("Access-Control-Allow-Headers")
	for _, row := range routes {
		assert.Contains(t, methods, row.Method)
	}
	for _, name := range []string{"Authorization", "Content-Type", "If-Match", "Idempotency-Key", "X-API-Key", "X-LLM-API-Key", "X-LLM-Model",
		"X-LLM-Eval-API-Key", "X-LLM-Response-API-Key", "X-LLM-Summarization-API-Key", "X-LLM-Eval-Model", "X-LLM-Response-Model", "X-LLM-Summarization-Model"} {
		assert.Contains(t, headers+",", name+",", "%s is not in %q", name, headers)
	}
	assert.True(t, answer.header.Get("Access-Control-Max-Age") != "", "%d %v", answer.status, answer.header)
	assert.Equal(t, answer.status, 204)
	assert.Equal(t, len(answer.body), 0)
	// A name that points here does not get past the Host check with it.
	foreign := []string{"Origin", site, "Host", "evil.example", "Access-Control-Request-Method", "POST"}
	h.send("", http.MethodOptions, wire.PathSave, "", foreign...).fails(403, wire.CodeForbidden)
}

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

// TestPublicURLOverNodes: behind a balancer, every server refers to the balancer.
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
			checkNamed(t, told, public, "issuer", "jwks_uri", "authorization_endpoint", "token_endpoint", "device_authorization_endpoint", "revocation_endpoint")
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

func checkNamed(t *testing.T, told map[string]any, address string, members ...string) {
	t.Helper()
	for _, member := range members {
		value := told[member]
		if list, ok := value.([]any); ok && len(list) == 1 {
			value = list[0]
		}
		text, _ := value.(string)
		assert.True(t, text == address || strings.HasPrefix(text, address+"/"), "%s is %v, want it at %s", member, value, address)
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

// TestPublicURLIsRefused: the URL must be a scheme and host that the sign-in allows.
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

var forwardingHeaders = []string{
	"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Server", "Forwarded", "Via",
	"X-Real-IP", "X-Client-IP", "True-Client-IP", "CF-Connecting-IP", "CDN-Loop",
}

// startReverseProxy starts a typical Go reverse proxy that accepts outside callers. With director
// it uses the older kind, which always adds X-Forwarded-For.
func startReverseProxy(t *testing.T, to string, director bool) string {
	t.Helper()
	target := assert.Value(url.Parse(to))(t)
	proxy := httputil.NewSingleHostReverseProxy(target)
	if !director {
		proxy = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.SetXForwarded()
		}}
	}
	s := httptest.NewServer(proxy)
	t.Cleanup(s.Close)
	return s.URL
}

// TestDevelopmentSignInBehindAProxy: a caller through a proxy cannot use the development sign-in,
// and cannot read or delete anything of others. Public pages still work.
func TestDevelopmentSignInBehindAProxy(t *testing.T) {
	for _, c := range []struct {
		name              string
		director, trusted bool
	}{{"director", true, false}, {"rewrite", false, false}, {"a trusted proxy", true, true}} {
		t.Run(c.name, func(t *testing.T) {
			h := begin(t, func(o *Options) {
				if c.trusted {
					o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
				}
			})
			draft, published := h.savePersona(gatePersona), h.publishPersona()
			outside := *h
			outside.client = &http.Client{Transport: rewriteHost{startReverseProxy(t, h.URL(), c.director), h.client.Transport}}

			begun := outside.send("", "POST", "/oauth/device_authorization", "client_id=parley-cli", "Content-Type", "application/x-www-form-urlencoded")
			checkForwardedRefusal(t, begun)
			outside.send(alice, "GET", wire.Path(wire.PathPersona, draft), "").fails(401, wire.CodeUnauthenticated)
			outside.send(alice, "DELETE", wire.Path(wire.PathPersona, draft), "").fails(401, wire.CodeUnauthenticated)
			outside.send("", "GET", wire.Path(wire.PathPersona, draft), "").fails(404, wire.CodeNotFound)
			outside.send("", "GET", "/metrics", "").fails(404, wire.CodeNotFound)
			// The same holds for this machine's user.
			outside.send("", "GET", wire.PathMe, "", "Authorization", "Bearer "+h.Token()).fails(401, wire.CodeUnauthenticated)

			for _, path := range []string{
				"/", "/healthz", "/readyz", "/docs", "/play/" + published, wire.PathPersonas, wire.Path(wire.PathFull, published),
				"/.well-known/openid-configuration",
			} {
				outside.send("", "GET", path, "").want(200)
			}
			outside.send("", "POST", wire.Path(wire.PathInitSession, published), initJSON("ann")).want(200)
			h.send(alice, "GET", wire.Path(wire.PathPersona, draft), "").want(200)
		})
	}
}

type rewriteHost struct {
	to   string
	next http.RoundTripper
}

func (p rewriteHost) RoundTrip(r *http.Request) (*http.Response, error) {
	target, err := url.Parse(p.to)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.URL.Host = target.Host
	return p.next.RoundTrip(r)
}

func checkForwardedRefusal(t *testing.T, answer replied) {
	t.Helper()
	text := string(answer.body)
	assert.Equal(t, answer.status, 403, answer.path)
	assert.Contains(t, text, "proxy", answer.path)
	assert.Contains(t, text, "--issuer", answer.path)
	assert.Contains(t, text, "--jwt-secret-file", answer.path)
}

// TestForwardedCallsGetNoSignIn tries every page of the provider with every header of proxies.
func TestForwardedCallsGetNoSignIn(t *testing.T) {
	h := begin(t)
	provider := assert.Value(identity.OpenProvider(identity.ProviderOptions{Dir: t.TempDir()}))(t)
	for _, header := range forwardingHeaders {
		for _, value := range []string{"127.0.0.1", "198.51.100.1", ""} {
			for _, pattern := range provider.RoutePatterns() {
				method, path, _ := strings.Cut(pattern, " ")
				if strings.HasPrefix(path, "/oauth/") {
					checkForwardedRefusal(t, h.send("", method, path, "", header, value))
				}
			}
			refused := h.send(alice, "GET", wire.PathMe, "", header, value).fails(401, wire.CodeUnauthenticated)
			assert.Contains(t, refused.Message, "proxy", header)
			assert.Contains(t, refused.Message, "--issuer", header)
			h.send("", "GET", "/metrics", "", header, value).fails(404, wire.CodeNotFound)
			h.send("", "GET", "/healthz", "", header, value).want(200)
		}
	}
	h.send(alice, "GET", wire.PathMe, "").want(200)
	page := h.send("", "GET", "/oauth/device", "", "Via", "1.1 nginx")
	assert.True(t, strings.HasPrefix(page.header.Get("Content-Type"), "text/html"), "a browser gets %s", page.header.Get("Content-Type"))
}

// TestBareProxyPass: proxy_pass of nginx does not add headers by default, and speaks HTTP/1.0.
func TestBareProxyPass(t *testing.T) {
	h := begin(t)
	for path, want := range map[string]int{"/oauth/device": 403, "/metrics": 404, wire.PathMe: 401, "/healthz": 200} {
		for version, want := range map[string]int{"1.0": want, "1.1": 200} {
			conn := assert.Value(net.Dial("tcp", h.Addr()))(t)
			fmt.Fprintf(conn, "GET %s HTTP/%s\r\nHost: %s\r\nConnection: close\r\nAuthorization: Bearer %s\r\n\r\n", path, version, h.Addr(), h.token(alice))
			answer := assert.Value(http.ReadResponse(bufio.NewReader(conn), nil))(t)
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = conn.Close()
			assert.Equal(t, answer.StatusCode, want, "%s of HTTP/%s", path, version)
		}
	}
}

// TestProxyIsNeverLocal: a trusted proxy names the caller, and its caller never counts as local.
func TestProxyIsNeverLocal(t *testing.T) {
	h := begin(t, func(o *Options) {
		o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.5/32"), netip.MustParsePrefix("127.0.0.0/8")}
	})
	id := h.publishPersona()
	for _, peer := range []string{"10.0.0.5:443", "127.0.0.1:443", "[::1]:443"} {
		for _, header := range []string{"X-Forwarded-For", "Forwarded"} {
			ask := func(method, path, body string) *httptest.ResponseRecorder {
				r := httptest.NewRequest(method, path, strings.NewReader(body))
				r.RemoteAddr, r.Host = peer, "127.0.0.1"
				r.Header.Set(header, map[string]string{"X-Forwarded-For": "127.0.0.1", "Forwarded": "for=127.0.0.1"}[header])
				w := httptest.NewRecorder()
				h.http.Handler.ServeHTTP(w, r)
				return w
			}
			assert.Equal(t, ask("GET", "/metrics", "").Code, 404, "%s with %s reads the metrics", peer, header)
			ask("POST", wire.Path(wire.PathInitSession, id), initJSON("eve"))
			w := ask("POST", wire.Path(wire.PathMessage, id), messageJSON("eve", "[[pass]]"))
			var reply wire.Reply
			err := json.Unmarshal(w.Body.Bytes(), &reply)
			assert.NoError(t, err, "%s with %s", peer, header)
			assert.Equal(t, w.Code, 200, "%s with %s", peer, header)
			assert.Equal(t, reply.Score, 0, "%s with %s", peer, header)
		}
	}
}

// TestForeignNamesAreRefused: the development sign-in allows only names of this machine in Host.
func TestForeignNamesAreRefused(t *testing.T) {
	development, foreign := TokenSource{}, TokenSource{JWTSecretFile: "secret"}
	for _, c := range []struct {
		host   string
		tokens TokenSource
		want   bool
	}{
		{"npc.example.com", development, false},
		{"npc.example.com:8787", development, false},
		{"localhost.example.com", development, false},
		{"10.0.0.1", development, false},
		{"0.0.0.0", development, false},
		{"localhost", development, true},
		{"LOCALHOST.:80", development, true},
		{"127.0.0.2", development, true},
		{"[::1]:8787", development, true},
		{"npc.example.com", foreign, true},
	} {
		err := Options{Hosts: []string{"localhost", c.host}, Tokens: c.tokens}.checkHosts()
		if (err == nil) != c.want || err != nil && (!strings.Contains(err.Error(), fmt.Sprintf("host %q is for other machines", c.host)) || !strings.Contains(err.Error(), "--issuer")) {
			t.Errorf("%q: %v", c.host, err)
		}
	}
	for _, tokens := range []TokenSource{development, foreign} { // It would be every number.
		assert.True(t, (Options{Hosts: []string{""}, Tokens: tokens}).checkHosts() != nil, "an empty name is taken")
	}
}
