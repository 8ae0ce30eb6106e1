package localserver

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// oauthContext makes the client libraries use the harness' connections.
func (h *harness) oauthContext() context.Context {
	return context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: h.client.Transport})
}

// readSignIn returns the server's sign-in information.
func (h *harness) readSignIn() wire.SignIn {
	h.Helper()
	var in wire.SignIn
	answer := h.send("", "GET", wire.PathSignIn, "")
	answer.want(200)
	assert.NoError(h, json.Unmarshal(answer.body, &in))
	return in
}

var formField = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)

// signInAs signs a user in with a browser and the real client library, starting only from the
// server's address.
func (h *harness) signInAs(email string) (*oauth2.Config, *oauth2.Token) {
	h.Helper()
	in := h.readSignIn()
	provider := assert.Value(oidc.NewProvider(h.oauthContext(), in.Issuer))(h)
	client := &oauth2.Config{ClientID: in.ClientID, Endpoint: provider.Endpoint(), RedirectURL: "http://127.0.0.1:1/back", Scopes: in.Scopes}
	verifier := oauth2.GenerateVerifier()
	code := h.approve(client.AuthCodeURL("state", oauth2.S256ChallengeOption(verifier)), email)
	token := assert.Value(client.Exchange(h.oauthContext(), code, oauth2.VerifierOption(verifier)))(h)
	h.tokens[email] = token.AccessToken
	h.tokens[email+" refresh"] = token.RefreshToken
	return client, token
}

// approve fills in the sign-in page and returns the code.
func (h *harness) approve(address, email string) string {
	h.Helper()
	jar, _ := cookiejar.New(nil) // it never fails
	browser := &http.Client{Jar: jar, Transport: h.client.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	page := assert.Value(browser.Get(address))(h)
	form := url.Values{"email": {email}, "answer": {"allow"}}
	for _, field := range formField.FindAllStringSubmatch(readAll(h, page), -1) {
		form.Set(field[1], field[2])
	}
	answer := assert.Value(browser.PostForm(page.Request.URL.Scheme+"://"+page.Request.URL.Host+"/oauth/authorize", form))(h)
	_ = readAll(h, answer)
	target, err := url.Parse(answer.Header.Get("Location"))
	if err != nil || target.Query().Get("code") == "" {
		h.Fatalf("%s to %q", answer.Status, answer.Header.Get("Location"))
	}
	return target.Query().Get("code")
}

func readAll(t testing.TB, r *http.Response) string {
	t.Helper()
	defer r.Body.Close()
	text := assert.Value(io.ReadAll(r.Body))(t)
	return string(text)
}

func TestDevelopmentSignIn(t *testing.T) {
	h := begin(t)
	in := h.readSignIn()
	assert.True(t, in.Issuer == h.URL() && in.ClientID != "" && in.Audience != "" && in.Development, "told %+v", in)
	client, token := h.signInAs(alice)
	checkJSON(t, h.send(alice, "GET", wire.PathMe, "").want(200), jsonOf(t, map[string]any{"email": alice, "display_name": "alice"}))
	// It is the same user as the one of a token of the folder.
	h.savePersona(gatePersona)
	delete(h.tokens, alice)
	assert.Contains(t, string(h.send(alice, "GET", wire.PathPersonas+"?my_personas=true", "").body), "Gate guard", "another user")
	// Signed out, the token is refused at once.
	h.tokens[alice] = token.AccessToken
	answer, err := h.client.PostForm(h.URL()+"/oauth/revoke", url.Values{"token": {token.RefreshToken}, "client_id": {client.ClientID}})
	assert.Must(t, err == nil && answer.StatusCode == 200, "%v %v", answer, err)
	_ = answer.Body.Close()
	h.send(alice, "GET", wire.PathMe, "").fails(401, wire.CodeUnauthenticated)
}

func TestDevelopmentSignInOutlivesTheServer(t *testing.T) {
	dir := t.TempDir()
	first := begin(t, inFolder(dir))
	client, token := first.signInAs(alice)
	assert.NoError(t, first.Close())
	second := begin(t, inFolder(dir), func(o *Options) { o.Listen = first.Addr() })
	second.tokens[alice] = token.AccessToken
	second.send(alice, "GET", wire.PathMe, "").want(200)
	token.Expiry = time.Now().Add(-time.Minute)
	newer, err := client.TokenSource(second.oauthContext(), token).Token()
	assert.True(t, err == nil && newer.AccessToken != token.AccessToken, "refreshed after a restart: %v", err)
}

// believing returns a server that accepts the tokens of another one.
func believing(issuer string, change ...func(*Options)) func(*Options) {
	return func(o *Options) {
		o.Tokens = TokenSource{Issuer: issuer, Audience: identity.Audience, ClientID: "registered"}
		for _, c := range change {
			c(o)
		}
	}
}

func TestExternalProvider(t *testing.T) {
	provider := begin(t)
	h := begin(t, believing(provider.URL()))
	in := h.readSignIn()
	assert.True(t, in.Issuer == provider.URL() && in.ClientID == "registered" && !in.Development, "told %+v", in)
	_, err := ReadSignIn(h.Dir())
	assert.True(t, errors.Is(err, fs.ErrNotExist) && h.Token() == "" && h.User() == "", "a sign-in file: %v", err)
	h.send("", "GET", "/.well-known/openid-configuration", "").fails(404, wire.CodeNotFound)
	provider.signInAs(alice)
	h.tokens[alice] = provider.tokens[alice]
	checkJSON(t, h.send(alice, "GET", wire.PathMe, "").want(200), jsonOf(t, map[string]any{"email": alice}))
	// A token of this folder's own key counts no longer.
	h.send(bob, "GET", wire.PathMe, "").fails(401, wire.CodeUnauthenticated)
	// Without the provider, known users stay signed in.
	assert.NoError(t, provider.Close())
	h.send(alice, "GET", wire.PathMe, "").want(200)
}

func TestExternalProviderIsAway(t *testing.T) {
	provider, stranger := begin(t), begin(t)
	h := begin(t, believing(provider.URL()))
	stranger.signInAs(bob)
	h.tokens[bob] = stranger.tokens[bob]
	assert.NoError(t, provider.Close())
	away := h.send(bob, "GET", wire.PathMe, "")
	away.fails(503, wire.CodeUnavailable)
	assert.Equal(t, away.header.Get(wire.HeaderRetryAfter), "10", "Retry-After")
	h.send("", "GET", wire.PathPersonas, "").want(200)
	_, err := Start(t.Context(), Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, Tokens: TokenSource{Issuer: provider.URL(), Audience: "parley"}})
	assert.ErrorContains(t, err, "identity provider "+provider.URL(), "started without its provider")
}

// sharedToken returns a token that is signed with a shared secret, without our own code.
func sharedToken(secret, subject string) string {
	return signShared(secret, map[string]any{"sub": subject, "email": subject})
}

// signShared signs claims that are good for an hour.
func signShared(secret string, claims map[string]any) string {
	encode := base64.RawURLEncoding.EncodeToString
	claims["exp"] = time.Now().Add(time.Hour).Unix()
	payload, _ := json.Marshal(claims) // never fails for texts and numbers
	text := encode([]byte(`{"alg":"HS256"}`)) + "." + encode(payload)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return text + "." + encode(mac.Sum(nil))
}

// secretFile is a file with a shared secret that only its owner reads.
func secretFile(t testing.TB, secret string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "shared")
	assert.NoError(t, os.WriteFile(file, []byte(secret+"\n"), 0o600))
	return file
}

func TestSharedSecretOnAllAddresses(t *testing.T) {
	const shared = "3f9c0b7de28a4651c7fa90d35be8126e"
	file := filepath.Join(t.TempDir(), "shared")
	assert.NoError(t, os.WriteFile(file, []byte(shared+"\n"), 0o644))
	h := begin(t, func(o *Options) {
		o.Listen, o.Tokens, o.Hosts = "0.0.0.0:0", TokenSource{JWTSecretFile: file}, []string{"parley.example.com"}
	})
	_, port, err := net.SplitHostPort(h.Addr())
	if err != nil || h.URL() != "http://127.0.0.1:"+port {
		t.Errorf("address %s, URL %s", h.Addr(), h.URL())
	}
	h.tokens[alice], h.tokens[bob] = sharedToken(shared, alice), sharedToken(shared+"x", bob)
	h.send(alice, "GET", wire.PathMe, "").want(200)
	h.send(bob, "GET", wire.PathMe, "").fails(401, wire.CodeUnauthenticated)
	h.send("", "GET", wire.PathSignIn, "").fails(404, wire.CodeNotFound)
	for host, status := range map[string]int{"192.0.2.7:80": 200, "[2001:db8::1]": 200, "parley.example.com": 200, "Parley.Example.com.:8787": 200, "evil.example": 403} {
		t.Run(host, func(t *testing.T) {
			h := h.with(t)
			assert.Equal(t, h.send("", "GET", wire.PathPersonas, "", "Host", host).status, status, "Host %s", host)
		})
	}
	assert.Contains(t, h.journal.String(), "chmod 600")
	assert.NotContains(t, h.journal.String(), shared)
}

func TestWhoIsChecked(t *testing.T) {
	for _, c := range []struct {
		who  TokenSource
		want string
	}{
		{TokenSource{Issuer: "https://a.example"}, "audience"},
		{TokenSource{Issuer: "https://a.example", Audience: "p", JWTSecretFile: "f"}, "mutually exclusive"},
		{TokenSource{Audience: "p"}, "requires an issuer"},
		{TokenSource{JWTSecretFile: "f", ClientID: "c"}, "requires an issuer"},
		{TokenSource{JWTSecretFile: filepath.Join(t.TempDir(), "none")}, "no such file"},
		{TokenSource{Issuer: "http://a.example", Audience: "p"}, "https"},
	} {
		t.Run(c.want, func(t *testing.T) {
			server, err := Start(t.Context(), Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, Tokens: c.who})
			if err == nil {
				_ = server.Close()
			}
			assert.ErrorContains(t, err, c.want, "%+v", c.who)
		})
	}
}

func TestReachable(t *testing.T) {
	for bound, want := range map[string]string{
		"127.0.0.1:1": "127.0.0.1:1", "0.0.0.0:1": "127.0.0.1:1", "[::]:1": "127.0.0.1:1", "192.0.2.1:1": "192.0.2.1:1", "nonsense": "nonsense",
	} {
		t.Run(bound, func(t *testing.T) { assert.Equal(t, reachableAddress(bound), want, "%s is reachable at", bound) })
	}
}
