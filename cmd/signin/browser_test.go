package signin

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

// openPage acts as a person who says yes in a browser, and is sent back with the changed answer.
func (d *fakeProvider) openPage(address string, change func(url.Values)) (status int, page string) {
	at, err := url.Parse(address)
	if err != nil {
		d.Error(err)
		return 0, ""
	}
	asked := at.Query()
	back := url.Values{"state": {asked.Get("state")}, "code": {"the-code"}}
	d.mu.Lock()
	d.answers = []http.HandlerFunc{d.redeemCode(asked)}
	d.mu.Unlock()
	if change != nil {
		change(back)
	}
	return d.fetchPage(asked.Get("redirect_uri") + "?" + back.Encode())
}

func (d *fakeProvider) fetchPage(address string) (status int, page string) {
	answer, err := http.Get(address)
	if err != nil {
		d.Error(err)
		return 0, ""
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text)
}

// redeemCode exchanges a code for the client that began the sign-in, as RFC 7636 requires.
func (d *fakeProvider) redeemCode(asked url.Values) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		form := r.PostForm
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		if base64.RawURLEncoding.EncodeToString(sum[:]) != asked.Get("code_challenge") || asked.Get("code_challenge_method") != "S256" ||
			len(form.Get("code_verifier")) < 43 || form.Get("code") != "the-code" || form.Get("redirect_uri") != asked.Get("redirect_uri") {
			d.Errorf("exchanged with %v for %v", form, asked)
		}
		d.giveTokens("id_token", d.idToken(map[string]any{"nonce": asked.Get("nonce"), "at_hash": hashOf(secretAccess)}))(w, r)
	}
}

// hashOf is an access token's mark in an ID token (OpenID Connect Core section 3.1.3.6).
func hashOf(access string) string {
	sum := sha256.Sum256([]byte(access))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

func acceptAll(context.Context, Tokens) error { return nil }

func TestBrowser(t *testing.T) {
	d := newFakeProvider(t)
	pages := make(chan string, 1)
	got, err := d.openProvider().SignInByBrowser(t.Context(), func(address string) {
		at, _ := url.Parse(address)
		asked := at.Query()
		back, _ := url.Parse(asked.Get("redirect_uri"))
		assert.Equal(t, back.Hostname(), "127.0.0.1")
		assert.Equal(t, back.Scheme, "http")
		assert.Equal(t, asked.Get("response_type"), "code")
		assert.Equal(t, asked.Get("client_id"), client)
		assert.Equal(t, asked.Get("audience"), "the-service")
		go func() {
			// What is not of this sign-in does not end it.
			for path, want := range map[string]int{
				"/callback?state=other&code=stolen": 400, "/callback?code=stolen": 400, "/callback?state=other&error=access_denied": 400, "/": 404, "/favicon.ico": 404,
			} {
				t.Run(path, func(t *testing.T) {
					status, _ := d.fetchPage("http://" + back.Host + path)
					assert.Equal(t, status, want, path)
				})
			}
			status, _ := d.fetchPage("http://localhost:" + back.Port() + "/callback?state=" + asked.Get("state") + "&code=x")
			assert.Equal(t, status, 404, "another host")
			_, page := d.openPage(address, nil)
			pages <- page
		}()
	}, acceptAll)
	assert.NoError(t, err)
	assert.Equal(t, got.Access, secretAccess)
	assert.Equal(t, got.Person.Email, "ann@example.com")
	page := <-pages
	assert.Contains(t, page, "You are signed in", "the browser")
}

func TestBrowserRefuses(t *testing.T) {
	other := assert.Value(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	type change func(*fakeProvider, url.Values)
	set := func(name, value string) change { return func(_ *fakeProvider, v url.Values) { v.Set(name, value) } }
	id := func(token func(*fakeProvider) string) change {
		return func(d *fakeProvider, _ url.Values) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.answers = []http.HandlerFunc{d.giveTokens("id_token", token(d))}
		}
	}
	claim := func(name string, value any) change {
		return id(func(d *fakeProvider) string { return d.idToken(map[string]any{name: value}) })
	}
	for name, c := range map[string]struct {
		change change
		want   string
	}{
		"denied":           {set("error", CodeDenied), "access_denied"},
		"another issuer":   {set("iss", "https://evil.example"), "another identity provider"},
		"no code":          {func(_ *fakeProvider, v url.Values) { v.Del("code") }, "without a code"},
		"no nonce":         {id(func(d *fakeProvider) string { return d.idToken(nil) }), "another sign-in"},
		"another nonce":    {claim("nonce", "x"), "another sign-in"},
		"another audience": {claim("aud", "somebody-else"), "cannot be verified"},
		"another provider": {claim("iss", "https://evil.example"), "cannot be verified"},
		"expired":          {claim("exp", 1), "clock"},
		"another access token": {func(d *fakeProvider, v url.Values) {
			d.mu.Lock()
			defer d.mu.Unlock()
			redeem := d.answers[0]
			d.answers = []http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
				whole := httptest.NewRecorder()
				redeem(whole, r)
				io.WriteString(w, strings.Replace(whole.Body.String(), secretAccess, secretAccess+"2", 1))
			}}
		}, "another access token"},
		"another key": {id(func(d *fakeProvider) string {
			return d.signToken(other, map[string]string{"alg": "ES256", "kid": "1"}, map[string]any{"iss": d.URL, "aud": client, "exp": d.now.Add(time.Hour).Unix()})
		}), "cannot be verified"},
		"not signed": {id(func(d *fakeProvider) string {
			parts := strings.Split(d.signToken(other, map[string]string{"alg": "none"}, map[string]any{"iss": d.URL, "aud": client}), ".")
			return parts[0] + "." + parts[1] + "."
		}), "cannot be verified"},
		"no JWT": {id(func(*fakeProvider) string { return "x" }), "cannot be verified"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFakeProvider(t)
			pages := make(chan string, 1)
			_, err := d.openProvider().SignInByBrowser(t.Context(), func(address string) {
				go func() {
					_, page := d.openPage(address, func(v url.Values) { c.change(d, v) })
					pages <- page
				}()
			}, acceptAll)
			assert.ErrorContains(t, err, c.want, name)
			page := <-pages
			assert.Contains(t, page, "not signed in", "%s: the browser", name)
			checkNoSecrets(t, err)
		})
	}
}

// TestBrowserNamesItself: a provider that promises to name itself must do so (RFC 9207).
func TestBrowserNamesItself(t *testing.T) {
	d := newFakeProvider(t)
	d.about["authorization_response_iss_parameter_supported"] = true
	for _, named := range []bool{true, false} {
		_, err := d.openProvider().SignInByBrowser(t.Context(), func(address string) {
			go d.openPage(address, func(v url.Values) {
				if named {
					v.Set("iss", d.URL)
				}
			})
		}, acceptAll)
		assert.Equal(t, err == nil, named, "named %v", err)
	}
}

func TestBrowserInterrupted(t *testing.T) {
	d := newFakeProvider(t)
	ctx, cancel := context.WithCancel(t.Context())
	var port string
	_, err := d.openProvider().SignInByBrowser(ctx, func(address string) {
		at, _ := url.Parse(address)
		back, _ := url.Parse(at.Query().Get("redirect_uri"))
		port = back.Host
		cancel()
	}, acceptAll)
	assert.ErrorIs(t, err, context.Canceled)
	if c, err := net.Dial("tcp", port); err == nil {
		c.Close()
		t.Error("the port is still open")
	}
}
