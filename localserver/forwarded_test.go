package localserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// forwardingHeaders are headers of proxies, tunnels and content networks.
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

			for _, path := range []string{"/", "/healthz", "/readyz", "/docs", "/play/" + published, wire.PathPersonas, wire.Path(wire.PathFull, published), "/.well-known/openid-configuration"} {
				outside.send("", "GET", path, "").want(200)
			}
			outside.send("", "POST", wire.Path(wire.PathInitSession, published), initJSON("ann")).want(200)
			h.send(alice, "GET", wire.Path(wire.PathPersona, draft), "").want(200)
		})
	}
}

// rewriteHost sends requests to a proxy instead.
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

// checkForwardedRefusal checks that a refusal contains the reason and a remedy.
func checkForwardedRefusal(t *testing.T, answer replied) {
	t.Helper()
	text := string(answer.body)
	if answer.status != 403 || !strings.Contains(text, "proxy") || !strings.Contains(text, "--issuer") || !strings.Contains(text, "--jwt-secret-file") {
		t.Errorf("%s: %d %s", answer.path, answer.status, text)
	}
}

// TestForwardedCallsGetNoSignIn tries every endpoint of the development provider with
// every header of proxies, and a token with each.
func TestForwardedCallsGetNoSignIn(t *testing.T) {
	h := begin(t)
	provider := assert.Value(identity.OpenProvider(identity.ProviderOptions{Dir: t.TempDir()}))(t)
	for _, header := range forwardingHeaders {
		for _, value := range []string{"127.0.0.1", ""} {
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
	if page := h.send("", "GET", "/oauth/device", "", "Via", "1.1 nginx"); !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") {
		t.Errorf("a browser gets %s", page.header.Get("Content-Type"))
	}
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
			assert.True(t, err == nil && w.Code == 200 && reply.Score == 0, "%s with %s directs: %d %s", peer, header, w.Code, w.Body)
		}
	}
}

// TestForeignNamesAreRefused: with the development sign-in, a server accepts only the names of this
// machine in Host.
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
	server, err := Start(t.Context(), Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, Hosts: []string{"npc.example.com"}})
	if err == nil {
		_ = server.Close()
		t.Error("a server with --host npc.example.com starts")
	}
}
