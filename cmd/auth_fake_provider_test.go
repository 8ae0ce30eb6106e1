package cmd

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/localserver"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/personas/assert"
)

// strictProvider is an identity provider as those are that go by the standards to the
// letter: a JWT for a resource that it knows and that is named in the very request for
// tokens, an opaque token else; a refresh token only for offline_access with consent; each
// refresh token good for one use.
type strictProvider struct {
	*testing.T
	*httptest.Server
	now   func() time.Time
	key   *ecdsa.PrivateKey
	about map[string]any
	// bare means that tokens identify a user only by subject.
	bare bool

	mu        sync.Mutex
	resources map[string]string // audiences by resource
	asked     map[string]url.Values
	codes     map[string]url.Values // what was asked, by code and by refresh token
	used      map[string]bool
	revoked   []url.Values
	refuse    string        // the error of the token endpoint
	silent    chan struct{} // while it is open the paths in hang are not answered
	hang      []string
}

func newStrictProvider(d *commandLine) *strictProvider {
	key := assert.Value(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(d)
	p := &strictProvider{
		T: d.T, now: d.now, key: key, resources: map[string]string{}, asked: map[string]url.Values{}, codes: map[string]url.Values{},
		used: map[string]bool{}, silent: make(chan struct{}),
	}
	mux := http.NewServeMux()
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.hangs(r.URL.Path) {
			<-p.silent
			return
		}
		mux.ServeHTTP(w, r)
	}))
	d.Cleanup(func() { close(p.silent); p.Close() })
	p.about = map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"device_authorization_endpoint": p.URL + "/device", "revocation_endpoint": p.URL + "/revoke", "id_token_signing_alg_values_supported": []string{"ES256"},
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 200, p.about) })
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 200, p.publicKeys()) })
	mux.HandleFunc("GET /authorize", p.serveForm)
	mux.HandleFunc("POST /authorize", p.serveConsent)
	mux.HandleFunc("POST /device", p.serveDevice)
	mux.HandleFunc("POST /token", p.serveToken)
	mux.HandleFunc("POST /revoke", p.serveRevocation)
	return p
}

func (p *strictProvider) hangs(path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Contains(p.hang, path) || slices.Contains(p.hang, "all")
}

func (p *strictProvider) setHang(paths ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hang = paths
}

func (p *strictProvider) setRefusal(code string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = code
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

func (p *strictProvider) publicKeys() any {
	point, _ := p.key.PublicKey.Bytes()
	return map[string]any{"keys": []any{map[string]string{
		"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "1",
		"x": base64.RawURLEncoding.EncodeToString(point[1:33]), "y": base64.RawURLEncoding.EncodeToString(point[33:]),
	}}}
}

func (p *strictProvider) sign(claims map[string]any) string {
	part := func(v any) string {
		text, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	claims["iss"], claims["sub"] = p.URL, "ann"
	if !p.bare {
		claims["email"], claims["name"] = "ann@example.com", "Ann"
	}
	claims["iat"], claims["exp"] = p.now().Unix(), p.now().Add(time.Hour).Unix()
	text := part(map[string]string{"alg": "ES256", "kid": "1", "typ": "at+jwt"}) + "." + part(claims)
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, p.key, sum[:])
	assert.NoError(p, err)
	return text + "." + base64.RawURLEncoding.EncodeToString(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}

// checkResource reports whether all resources that are asked for are known.
func (p *strictProvider) checkResource(asked url.Values) bool {
	for _, resource := range asked["resource"] {
		if p.resources[resource] == "" {
			return false
		}
	}
	return true
}

func (p *strictProvider) serveForm(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked["authorize"] = r.URL.Query()
	_, _ = fmt.Fprintf(w, `<form method="post" action="/authorize"><input name="id" value="authorize"></form>`)
}

func (p *strictProvider) serveConsent(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.asked["authorize"]
	back := url.Values{"state": {asked.Get("state")}}
	if p.checkResource(asked) {
		code := rand.Text()
		p.codes[code] = asked
		back.Set("code", code)
	} else {
		back.Set("error", "invalid_target")
	}
	http.Redirect(w, r, asked.Get("redirect_uri")+"?"+back.Encode(), http.StatusSeeOther)
}

func (p *strictProvider) serveDevice(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked["device"] = r.PostForm
	if !p.checkResource(r.PostForm) {
		writeJSON(w, 400, map[string]string{"error": "invalid_target"})
		return
	}
	code := rand.Text()
	p.codes[code] = r.PostForm
	writeJSON(w, 200, map[string]any{"device_code": code, "user_code": "ABCD", "verification_uri": p.URL + "/enter", "interval": 0.01})
}

func (p *strictProvider) serveToken(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[r.PostForm.Get("grant_type")] = r.PostForm
	code := r.PostForm.Get("code") + r.PostForm.Get("device_code") + r.PostForm.Get("refresh_token")
	asked, known := p.codes[code]
	switch {
	case p.refuse != "":
		writeJSON(w, 400, map[string]string{"error": p.refuse, "error_description": "the\x1b[31m grant\nis gone"})
		return
	case !known || p.used[code]:
		writeJSON(w, 400, map[string]string{"error": "invalid_grant"})
		return
	case !p.checkResource(r.PostForm):
		writeJSON(w, 400, map[string]string{"error": "invalid_target"})
		return
	}
	p.used[code] = true
	answer := map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 3600}
	if resource := r.PostForm.Get("resource"); resource != "" {
		answer["access_token"] = p.sign(map[string]any{"aud": p.resources[resource], "jti": rand.Text()})
	}
	if strings.Contains(asked.Get("scope"), "offline_access") && (asked.Get("response_type") == "" || asked.Get("prompt") == "consent") {
		next := rand.Text()
		p.codes[next] = asked
		answer["refresh_token"] = next
	}
	writeJSON(w, 200, answer)
}

func (p *strictProvider) serveRevocation(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	p.mu.Lock()
	defer p.mu.Unlock()
	if strings.Count(r.PostForm.Get("token"), ".") == 2 {
		writeJSON(w, 400, map[string]string{"error": "unsupported_token_type"})
		return
	}
	p.revoked = append(p.revoked, r.PostForm)
}

func (p *strictProvider) last(of string) url.Values {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[of]
}

// access returns the way to services that the command line has.
func (d *commandLine) access() *service.Access {
	return &service.Access{Environment: &service.Environment{Streams: &cli.Streams{
		In: strings.NewReader(""), Out: &cli.CheckedWriter{Writer: &bytes.Buffer{}}, Err: &bytes.Buffer{}, Now: d.now,
		Lookup: func(name string) (string, bool) { v, ok := d.env[name]; return v, ok },
	}}, Ring: d.drawer}
}

// serveWith starts a server for a provider's tokens. told returns its RFC 9728 description, or nil for none.
func (d *commandLine) serveWith(p *strictProvider, audience string, told func(address string) any) {
	d.Helper()
	s, err := localserver.Start(d.Context(), localserver.Options{
		Listen: "127.0.0.1:0", Data: datafolder.Memory, Now: d.now,
		Tokens: localserver.TokenSource{Issuer: p.URL, Audience: audience, ClientID: "parley"},
	})
	assert.NoError(d, err)
	d.Cleanup(func() { _ = s.Close() })
	inner, _ := url.Parse(s.URL())
	behind := cmdtest.NewProxyTo(inner)
	var front *httptest.Server
	front = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/.well-known/oauth-protected-resource") {
			if told == nil {
				http.NotFound(w, r)
				return
			}
			writeJSON(w, 200, told(front.URL))
			return
		}
		behind.ServeHTTP(w, r)
	}))
	d.Cleanup(front.Close)
	d.env["PARLEY_SERVER"] = front.URL
}
