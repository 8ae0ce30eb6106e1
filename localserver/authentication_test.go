package localserver

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"golang.org/x/oauth2"
)

func (h *harness) oauthContext() context.Context {
	return context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: h.client.Transport})
}

func (h *harness) readSignIn() wire.SignIn {
	h.Helper()
	var in wire.SignIn
	answer := h.send("", "GET", wire.PathSignIn, "").is(200)
	assert.NoError(h, json.Unmarshal(answer.body, &in))
	return in
}

var formField = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)

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
	assert.Must(h, err == nil && target.Query().Get("code") != "", "%s to %q", answer.Status, answer.Header.Get("Location"))
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
	assert.Equal(t, in.Issuer, h.URL())
	assert.True(t, in.ClientID != "" && in.Audience != "", "told %+v", in)
	assert.True(t, in.Development, "told %+v", in)
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
	assert.Equal(t, in.Issuer, provider.URL())
	assert.Equal(t, in.ClientID, "registered")
	assert.True(t, !in.Development, "told %+v", in)
	_, err := identity.ReadSignIn(h.Dir())
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.Equal(t, h.Token(), "")
	assert.Equal(t, h.User(), "")
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

func sharedToken(secret, subject string) string {
	return signShared(secret, map[string]any{"sub": subject, "email": subject})
}

func signShared(secret string, claims map[string]any) string {
	encode := base64.RawURLEncoding.EncodeToString
	claims["exp"] = time.Now().Add(time.Hour).Unix()
	payload, _ := json.Marshal(claims) // never fails for texts and numbers
	text := encode([]byte(`{"alg":"HS256"}`)) + "." + encode(payload)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return text + "." + encode(mac.Sum(nil))
}

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
	for host, status := range map[string]int{
		"192.0.2.7:80": 200, "[2001:db8::1]": 200, "parley.example.com": 200, "Parley.Example.com.:8787": 200,
		"evil.example": 403,
	} {
		h.run(t, host, func(t *testing.T, h *harness) {
			assert.Equal(t, h.send("", "GET", wire.PathPersonas, "", "Host", host).status, status, "Host %s", host)
		})
	}
	assert.Contains(t, h.journal.String(), "chmod 600")
	assert.NotContains(t, h.journal.String(), shared)
}

func TestReachable(t *testing.T) {
	for bound, want := range map[string]string{
		"127.0.0.1:1": "127.0.0.1:1", "0.0.0.0:1": "127.0.0.1:1", "[::]:1": "127.0.0.1:1", "192.0.2.1:1": "192.0.2.1:1", "nonsense": "nonsense",
	} {
		t.Run(bound, func(t *testing.T) { assert.Equal(t, reachableAddress(bound), want, "%s is reachable at", bound) })
	}
}

// TestSignInPageInABrowser: the page works in a browser, with its policy, cookie and redirect.
func TestSignInPageInABrowser(t *testing.T) {
	b := openBrowser(t)
	h := begin(t)
	arrived := make(chan url.Values, 1)
	program := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/back" {
			arrived <- r.URL.Query()
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<title>back</title>Welcome back.")
	}))
	t.Cleanup(program.Close)
	in := h.readSignIn()
	provider := assert.Value(oidc.NewProvider(h.oauthContext(), in.Issuer))(t)
	client := &oauth2.Config{ClientID: in.ClientID, Endpoint: provider.Endpoint(), RedirectURL: program.URL + "/back", Scopes: in.Scopes}
	verifier := oauth2.GenerateVerifier()
	b.open(client.AuthCodeURL("state", oauth2.S256ChallengeOption(verifier)))
	b.picture("sign-in")
	// A browser sets an autofocus with the first picture of a page, which comes
	// after it has loaded.
	b.until(`document.activeElement?.id === 'email'`)
	b.do(chromedp.SendKeys(chromedp.CSS("#email"), alice+"\r"))
	b.until(`document.title === 'back'`)
	var query url.Values
	select {
	case query = <-arrived:
	case <-time.After(patience):
		t.Fatal("the browser did not come back")
	}
	token := assert.Value(client.Exchange(h.oauthContext(), query.Get("code"), oauth2.VerifierOption(verifier)))(t)
	h.tokens[alice] = token.AccessToken
	h.send(alice, "GET", wire.PathMe, "").want(200)
	b.letDeviceIn(h, client)
}

func (b *tab) letDeviceIn(h *harness, client *oauth2.Config) {
	b.Helper()
	device := assert.Value(client.DeviceAuth(h.oauthContext()))(b)
	b.open(device.VerificationURIComplete)
	assert.Equal(b, js[string](b, "document.querySelector('#user_code').value"), device.UserCode, "the page shows the code")
	b.picture("device")
	b.do(chromedp.SendKeys(chromedp.CSS("#email"), bob+"\r"))
	b.until(`document.body?.innerText.includes('is signed in as ` + bob + `')`)
}

func (h *harness) readResource(path string, headers ...string) wire.ProtectedResource {
	h.Helper()
	var told wire.ProtectedResource
	answer := h.send("", "GET", path, "", headers...).is(200)
	assert.NoError(h, json.Unmarshal(answer.body, &told))
	return told
}

var metadataParameter = regexp.MustCompile(`^Bearer realm="parley", resource_metadata="([^"]+)"`)

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
	h := begin(t, func(o *Options) { o.ChatNeedsToken = true })
	filled := strings.NewReplacer("{persona_id}", "01a1fd78-c62d-7949-ba09-a82940007f70", "{key_id}", "k")
	h.tokens["nobody"] = "not.a.token"
	for _, row := range routes {
		if row.Access.NeedsAPIKey() {
			continue
		}
		h.run(t, row.ID, func(t *testing.T, h *harness) {
			bad := h.send("nobody", row.Method, filled.Replace(row.Path), "{}").is(401)
			challenge := bad.header.Get("WWW-Authenticate")
			assert.Equal(t, metadataOf(bad), h.URL()+wire.PathProtectedResource, row.ID)
			assert.Contains(t, challenge, `, error="invalid_token", error_description="`, row.ID)
			none := h.send("", row.Method, filled.Replace(row.Path), "{}")
			assert.Equal(t, none.status == 401, row.Access != api.Optional, "%d without a token", none.status)
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
			told := h.readResource(root, c.headers...)
			assert.Equal(t, told.Resource, c.resource)
			assert.EqualSlices(t, told.AuthorizationServers, []string{provider.URL()})
			assert.EqualSlices(t, told.BearerMethodsSupported, []string{"header"})
			assert.True(t, slices.Contains(told.ScopesSupported, "openid"), "told %+v, want the resource %s", told, c.resource)
			assert.Equal(t, metadataOf(h.send("", "GET", wire.PathMe, "", c.headers...)), c.metadata, "metadata at")
			for path, status := range c.serves {
				assert.Equal(t, h.send("", "GET", path, "").status, status, path)
			}
		})
	}
}

// TestTokensForTheResource: only a configured address of the server is an audience (RFC 8707).
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
			tokens := TokenSource{JWTSecretFile: "f", Resource: bad}
			assert.ErrorContains(t, failStart(t, Options{Listen: "127.0.0.1:0", Data: datafolder.Memory, Tokens: tokens}), "resource ")
		})
	}
}
