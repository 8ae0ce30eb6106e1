package signin

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

const (
	client       = "parley-test"
	secretAccess = "access-token-that-nobody-may-see"
	secretNext   = "refresh-token-that-nobody-may-see"
	secretDevice = "device-code-that-nobody-may-see"
)

// fakeProvider is an identity provider that checks its requests strictly and answers as a test
// needs.
type fakeProvider struct {
	*testing.T
	*httptest.Server
	mu      sync.Mutex
	now     time.Time
	slept   []time.Duration
	key     *ecdsa.PrivateKey
	about   map[string]any
	answers []http.HandlerFunc // of the token endpoint, in turn
	forms   []url.Values
	// asked is when the token endpoint was asked last, interval how long a client
	// must wait.
	asked    time.Time
	interval time.Duration
	revoked  []url.Values
}

func newFakeProvider(t *testing.T) *fakeProvider {
	key := assert.Value(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	d := &fakeProvider{T: t, key: key, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	mux := http.NewServeMux()
	d.Server = httptest.NewServer(mux)
	t.Cleanup(d.Close)
	d.about = map[string]any{
		"issuer": d.URL, "authorization_endpoint": d.URL + "/authorize", "token_endpoint": d.URL + "/token",
		"device_authorization_endpoint": d.URL + "/device", "revocation_endpoint": d.URL + "/revoke", "jwks_uri": d.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
	}
	mux.HandleFunc("GET "+discoveryPath, func(w http.ResponseWriter, _ *http.Request) { d.writeJSON(w, 200, d.about) })
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) { d.writeJSON(w, 200, d.publicKeys()) })
	mux.HandleFunc("POST /token", d.serveToken)
	mux.HandleFunc("POST /revoke", func(_ http.ResponseWriter, r *http.Request) { d.revoked = append(d.revoked, d.readForm(r)) })
	mux.HandleFunc("POST /device", func(w http.ResponseWriter, r *http.Request) {
		d.forms = append(d.forms, d.readForm(r))
		d.asked, d.interval = d.now, 5*time.Second
		d.writeJSON(w, 200, map[string]any{
			"device_code": secretDevice, "user_code": "ABCD-EFGH", "verification_uri": d.URL + "/enter",
			"verification_uri_complete": d.URL + "/enter?user_code=ABCD-EFGH", "expires_in": 600, "interval": 5,
		})
	})
	return d
}

func (d *fakeProvider) writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// readForm reads a request as a strict provider does: a form, and no secret of the client's.
func (d *fakeProvider) readForm(r *http.Request) url.Values {
	assert.Equal(d, r.Header.Get("Authorization"), "", r.URL.Path)
	assert.Equal(d, r.URL.RawQuery, "", r.URL.Path)
	if err := r.ParseForm(); err != nil || r.PostForm.Get("client_id") != client {
		d.Errorf("%s: %v, client %q", r.URL.Path, err, r.PostForm.Get("client_id"))
	}
	return r.PostForm
}

func (d *fakeProvider) serveToken(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	form := d.readForm(r)
	if form.Get("grant_type") == grantDevice {
		if d.now.Sub(d.asked) < d.interval {
			d.Errorf("asked after %s, the interval is %s", d.now.Sub(d.asked), d.interval)
		}
		d.asked = d.now
	}
	d.forms = append(d.forms, form)
	if len(d.answers) == 0 {
		d.Error("the token endpoint is asked too often")
		w.WriteHeader(500)
		return
	}
	next := d.answers[0]
	d.answers = d.answers[1:]
	next(w, r)
}

func (d *fakeProvider) refuseWith(code string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if code == "slow_down" {
			d.interval += 5 * time.Second
		}
		d.writeJSON(w, 400, map[string]string{"error": code, "error_description": "told: " + code})
	}
}

// giveTokens answers with tokens, changed by members and their values in turn; nil takes one out.
func (d *fakeProvider) giveTokens(change ...any) http.HandlerFunc {
	answer := map[string]any{"access_token": secretAccess, "token_type": "Bearer", "expires_in": 3600, "refresh_token": secretNext}
	for i := 0; i < len(change); i += 2 {
		answer[change[i].(string)] = change[i+1]
		if change[i+1] == nil {
			delete(answer, change[i].(string))
		}
	}
	return func(w http.ResponseWriter, _ *http.Request) { d.writeJSON(w, 200, answer) }
}

func (d *fakeProvider) publicKeys() map[string]any {
	point, _ := d.key.PublicKey.Bytes()
	return map[string]any{"keys": []any{map[string]string{
		"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "1",
		"x": base64.RawURLEncoding.EncodeToString(point[1:33]), "y": base64.RawURLEncoding.EncodeToString(point[33:]),
	}}}
}

func (d *fakeProvider) idToken(change map[string]any) string {
	claims := map[string]any{
		"iss": d.URL, "aud": client, "sub": "u1", "email": "ann@example.com", "name": "Ann",
		"iat": d.now.Unix(), "exp": d.now.Add(time.Hour).Unix(),
	}
	maps.Copy(claims, change)
	return d.signToken(d.key, map[string]string{"alg": "ES256", "kid": "1"}, claims)
}

func (d *fakeProvider) signToken(key *ecdsa.PrivateKey, head any, claims any) string {
	part := func(v any) string {
		text := assert.Value(json.Marshal(v))(d)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	text := part(head) + "." + part(claims)
	sum := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	assert.NoError(d, err)
	return text + "." + base64.RawURLEncoding.EncodeToString(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}

func (d *fakeProvider) signinOptions() Options {
	return Options{
		Issuer: d.URL, ClientID: client, Audience: "the-service",
		Now: func() time.Time {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.now
		},
		Sleep: func(ctx context.Context, wait time.Duration) error {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.slept = append(d.slept, wait)
			d.now = d.now.Add(wait)
			return ctx.Err()
		},
	}
}

func (d *fakeProvider) openProvider() *Provider {
	d.Helper()
	p := assert.Value(Open(d.Context(), d.signinOptions()))(d)
	return p
}

func checkNoSecrets(t *testing.T, err error) {
	t.Helper()
	for _, secret := range []string{secretAccess, secretNext, secretDevice} {
		assert.True(t, err == nil || !strings.Contains(err.Error(), secret), "the error gives a secret away: %v", err)
	}
}
