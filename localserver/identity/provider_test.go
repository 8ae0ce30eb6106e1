package identity

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"golang.org/x/oauth2"
)

// movableClock is a clock that several goroutines read.
type movableClock struct {
	mu sync.Mutex
	at time.Time
}

func (m *movableClock) readTime() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at
}

func (m *movableClock) moveBy(by time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at = m.at.Add(by)
}

type site struct {
	testing.TB
	*Provider
	dir     string
	url     string
	browser *http.Client
}

func newSite(t testing.TB, dir string, now func() time.Time) *site {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	address := "http://" + server.Listener.Addr().String()
	p := assert.Value(OpenProvider(ProviderOptions{Dir: dir, Issuer: address, Now: now, PollInterval: time.Second}))(t)
	server.Config.Handler = p
	server.Start()
	t.Cleanup(server.Close)
	return &site{TB: t, Provider: p, dir: dir, url: address, browser: newBrowser(t)}
}

// newBrowser keeps cookies and stops at redirects, so that a test sees them.
func newBrowser(t testing.TB) *http.Client {
	jar := assert.Value(cookiejar.New(nil))(t)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	stop := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Jar: jar, Transport: transport, CheckRedirect: stop}
}

type pageShown struct {
	status int
	header http.Header
	text   string
}

func (s *site) doRequest(r *http.Request) pageShown {
	s.Helper()
	response := assert.Value(s.browser.Do(r))(s)
	defer response.Body.Close()
	text := assert.Value(io.ReadAll(response.Body))(s)
	return pageShown{response.StatusCode, response.Header, string(text)}
}

func (s *site) openPage(address string) pageShown {
	s.Helper()
	r := assert.Value(http.NewRequest(http.MethodGet, address, nil))(s)
	return s.doRequest(r)
}

// postForm sends a form; headers are name and value in turn.
func (s *site) postForm(path string, form url.Values, headers ...string) pageShown {
	s.Helper()
	r := assert.Value(http.NewRequest(http.MethodPost, s.url+path, strings.NewReader(form.Encode())))(s)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return s.doRequest(r)
}

var hiddenField = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">`)

func fillForm(of pageShown, words ...string) url.Values {
	form := url.Values{}
	for _, field := range hiddenField.FindAllStringSubmatch(of.text, -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	for i := 0; i < len(words); i += 2 {
		form.Set(words[i], words[i+1])
	}
	return form
}

func (s *site) newClient(redirect string, scopes ...string) (*oidc.Provider, *oauth2.Config) {
	s.Helper()
	provider := assert.Value(oidc.NewProvider(s.clientContext(), s.url))(s)
	return provider, &oauth2.Config{ClientID: ClientID, Endpoint: provider.Endpoint(), RedirectURL: redirect, Scopes: scopes}
}

func (s *site) clientContext() context.Context {
	return context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: s.browser.Transport})
}

func TestCodeWithTheRealClients(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	const callback = "http://127.0.0.1:4321/callback?from=parley"
	provider, client := s.newClient(callback, "openid", "email", "profile", "offline_access", "admin")
	verifier, state := oauth2.GenerateVerifier(), "state with \"quotes\" & <signs>\r\n+ö"
	page := s.openPage(client.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), oidc.Nonce("n-1"), oauth2.SetAuthURLParam("login_hint", "ann@example.com")))
	assert.Equal(t, page.status, 200, "the page")
	assert.Contains(t, page.text, `value="ann@example.com"`, "the page")
	assert.Contains(t, page.text, "127.0.0.1:4321", "the page")
	answer := s.postForm(pathAuthorize, fillForm(page, "email", "Alice@Example.com", "answer", "allow"))
	target, err := url.Parse(answer.header.Get("Location"))
	assert.Must(t, err == nil && answer.status == http.StatusSeeOther, "%d %s", answer.status, answer.text)
	query := target.Query()
	assert.True(t, strings.HasPrefix(target.String(), callback+"&"), "redirected to %s", target)
	assert.Equal(t, query.Get("state"), state)
	assert.Equal(t, query.Get("iss"), s.url)
	assert.Equal(t, query.Get("from"), "parley")
	token := assert.Value(client.Exchange(s.clientContext(), query.Get("code"), oauth2.VerifierOption(verifier)))(t)
	assert.Equal[any](t, token.Extra("scope"), "openid profile email offline_access", "scope")
	raw, _ := token.Extra("id_token").(string)
	id := assert.Value(provider.Verifier(&oidc.Config{ClientID: ClientID}).Verify(s.clientContext(), raw))(t)
	var own struct{ Email, Name string }
	assert.NoError(t, errors.Join(id.Claims(&own), id.VerifyAccessToken(token.AccessToken)))
	want := User{subjectOf("alice@example.com"), "alice@example.com", "alice"}
	assert.Equal(t, id.Nonce, "n-1")
	assert.Equal(t, id.Subject, want.ID)
	assert.Equal(t, own.Email, want.Email)
	assert.Equal(t, own.Name, want.DisplayName)
	user, err := s.Verify(t.Context(), token.AccessToken)
	assert.True(t, err == nil && user == want, "user %+v, %v", user, err)
	checkVerify(t, s, raw, "the ID token as an access token", "another service")
	// The library refreshes automatically when the token is old.
	token.Expiry = time.Now().Add(-time.Minute)
	newer, err := client.TokenSource(s.clientContext(), token).Token()
	assert.True(t, err == nil && newer.AccessToken != token.AccessToken && newer.RefreshToken != token.RefreshToken,
		"refreshed: %v", err)
}

func TestDeviceWithTheRealClient(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	_, client := s.newClient("", "openid", "email")
	device := assert.Value(client.DeviceAuth(s.clientContext()))(t)
	assert.True(t, device.Interval == 1 && device.VerificationURI == s.url+pathDevice && time.Until(device.Expiry) >= 9*time.Minute,
		"%+v", device)
	allowed := make(chan pageShown, 1)
	timer := time.AfterFunc(1200*time.Millisecond, func() {
		page := s.openPage(device.VerificationURIComplete)
		allowed <- s.postForm(pathDevice, fillForm(page, "user_code", strings.ToLower(device.UserCode), "email", "alice@example.com", "answer", "allow"))
	})
	defer timer.Stop()
	token := assert.Value(client.DeviceAccessToken(s.clientContext(), device))(t)
	page := <-allowed
	assert.True(t, page.status == 200 && strings.Contains(page.text, "alice@example.com"), "the page: %d %s", page.status, page.text)
	user, err := s.Verify(t.Context(), token.AccessToken)
	assert.True(t, err == nil && user.Email == "alice@example.com", "user %+v, %v", user, err)
	_, err = client.DeviceAccessToken(s.clientContext(), device)
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	assert.True(t, ok && refused.ErrorCode == "invalid_grant", "a second time: %v", err)
}

func (a pageShown) errorCode(t testing.TB) string {
	t.Helper()
	var e oauthError
	assert.NoError(t, json.Unmarshal([]byte(a.text), &e), "%d %s", a.status, a.text)
	return e.Code
}

func (s *site) beginDevice() (secret, userCode string) {
	s.Helper()
	var told struct {
		Device string `json:"device_code"`
		User   string `json:"user_code"`
	}
	answer := s.postForm(pathDeviceRequest, url.Values{"client_id": {ClientID}})
	err := json.Unmarshal([]byte(answer.text), &told)
	assert.Must(s, err == nil && told.Device != "", "%v %s", err, answer.text)
	return told.Device, told.User
}

func (s *site) pollDevice(secret string) pageShown {
	s.Helper()
	return s.postForm(pathToken, url.Values{"grant_type": {grantDevice}, "client_id": {ClientID}, "device_code": {secret}})
}

func (s *site) answerDevice(code, email, answer string) pageShown {
	s.Helper()
	page := s.openPage(s.url + pathDevice)
	return s.postForm(pathDevice, fillForm(page, "user_code", code, "email", email, "answer", answer))
}

func TestDevicePolling(t *testing.T) {
	c := &movableClock{at: noon}
	s := newSite(t, t.TempDir(), c.readTime)
	secret, code := s.beginDevice()
	for i, step := range []struct {
		wait time.Duration
		want string
	}{
		{time.Second - pollSlack - time.Millisecond, "slow_down"},
		{time.Second + slowDown - pollSlack, "authorization_pending"},
		{time.Second + slowDown - pollSlack - time.Millisecond, "slow_down"},
		{time.Second + 2*slowDown, "authorization_pending"},
	} {
		t.Run(step.want, func(t *testing.T) {
			c.moveBy(step.wait)
			answer := s.pollDevice(secret)
			assert.True(t, answer.status == 400 && answer.errorCode(t) == step.want, "question %d: %d %s, want %s", i, answer.status, answer.text, step.want)
		})
	}
	page := s.answerDevice(code, "", "deny")
	assert.True(t, page.status == 200 && strings.Contains(page.text, "You denied the sign-in"), "denied: %d %s", page.status, page.text)
	assert.Equal(t, s.answerDevice(code, "a@b.c", "allow").status, 422, "answered twice")
	c.moveBy(time.Minute)
	assert.Equal(t, s.pollDevice(secret).errorCode(t), "access_denied", "denied")
	secret, code = s.beginDevice()
	c.moveBy(deviceLifetime + time.Millisecond)
	assert.Equal(t, s.pollDevice(secret).errorCode(t), "expired_token", "expired")
	page = s.answerDevice(code, "a@b.c", "allow")
	assert.True(t, page.status == 422 && strings.Contains(page.text, "No program is waiting"), "an expired code: %d %s", page.status, page.text)
	assert.Equal(t, s.pollDevice("nonsense").errorCode(t), "invalid_grant", "unknown")
	secret, code = s.beginDevice()
	c.moveBy(time.Minute)
	s.answerDevice(code, "a@b.c", "allow")
	_, err := (&providerState{c.readTime(), slices.Clone(s.state.records)}).pollDevice(secret, "another")
	assert.True(t, err != nil, "another client took the sign-in")
	assert.Equal(t, s.pollDevice(secret).status, 200, "allowed")
}

func TestDeviceGuesses(t *testing.T) {
	c := &movableClock{at: noon}
	s := newSite(t, t.TempDir(), c.readTime)
	_, code := s.beginDevice()
	for i := range maxGuesses {
		page := s.answerDevice("BBBB-BBBB", "a@b.c", "allow")
		assert.Must(t, page.status == 422, "guess %d: %d", i, page.status)
	}
	assert.Equal(t, s.answerDevice(code, "a@b.c", "allow").status, http.StatusTooManyRequests, "after too many guesses")
	c.moveBy(guessPause)
	if page := s.answerDevice(code, "no address", "allow"); page.status != 422 || !strings.Contains(page.text, badEmail) || !strings.Contains(page.text, code) {
		t.Errorf("no address: %d %s", page.status, page.text)
	}
	assert.Equal(t, s.answerDevice(code, "a@b.c", "allow").status, 200, "a minute later")
}

func TestDevicesAreBounded(t *testing.T) {
	c := &movableClock{at: noon}
	s := newSite(t, t.TempDir(), c.readTime)
	for i := range maxRecords {
		assert.NoError(t, s.addDevice(fmt.Sprint(i)))
	}
	assert.ErrorIs(t, s.addDevice("one more"), errManyDevices, "one more")
	c.moveBy(2*deviceLifetime + time.Second)
	assert.NoError(t, s.addDevice("one more"), "after they have expired")
	codes := &providerState{c.readTime(), slices.Clone(s.state.records)}
	for range maxRecords + 10 {
		codes.addCode(authorization{}, "a@b.c")
	}
	n := len(codes.listByExpiry(kindCode))
	assert.True(t, n <= maxRecords, "%d codes wait", n)
}

func (s *site) addDevice(caller string) error {
	s.Helper()
	return s.changeState(s.Context(), func(state *providerState) error {
		_, _, err := state.addDevice(caller, "c", "", pollInterval)
		return err
	})
}

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

const (
	callback     = "http://127.0.0.1:4321/callback"
	codeVerifier = "a-verifier-of-at-least-forty-three-characters"
)

// authorizeQuery returns a good request with changes, name and value in turn; "" removes one.
func authorizeQuery(change ...string) url.Values {
	q := url.Values{
		"response_type": {"code"}, "client_id": {ClientID}, "redirect_uri": {callback}, "scope": {"openid"}, "state": {"s"},
		"code_challenge": {challengeOf(codeVerifier)}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(change); i += 2 {
		q.Set(change[i], change[i+1])
		if change[i+1] == "" {
			q.Del(change[i])
		}
	}
	return q
}

func TestAuthorizeRefusesOnItsOwnPage(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	for _, redirect := range []string{
		"", "https://evil.example/", "http://evil.example/", "http://127.0.0.1.evil.example/", "http://localhost.evil.example/", "//127.0.0.1/",
		"http://127.0.0.1@evil.example/", "http://evil.example\\@127.0.0.1/", "http://127.0.0.1\\@evil.example/", "http://user:pass@127.0.0.1/",
		"http://127.0.0.1/#fragment", "http://127.0.0.1/\r\nSet-Cookie: a=b", "http://127.1/", "http://0.0.0.0/", "http://2130706433/", "http://192.168.0.1/",
		"javascript:alert(1)", "http:127.0.0.1", "https://127.0.0.1/", "http://[::1%25eth0]/", "http://127.0.0.1:port/", "http://127.0.0.1/" + strings.Repeat("a", maxRedirect),
	} {
		t.Run(fmt.Sprintf("%.60q", redirect), func(t *testing.T) {
			answer := s.openPage(s.url + pathAuthorize + "?" + authorizeQuery("redirect_uri", redirect).Encode())
			assert.Equal(t, answer.status, 400, "redirect_uri %q", redirect)
			assert.Equal(t, answer.header.Get("Location"), "", "redirect_uri %q", redirect)
			assert.Contains(t, answer.text, `role="alert"`, "redirect_uri %q", redirect)
		})
	}
	for name, query := range map[string]string{
		"no client":          authorizeQuery("client_id", "").Encode(),
		"the service's name": authorizeQuery("client_id", Audience).Encode(),
		"a strange client":   authorizeQuery("client_id", "a b").Encode(),
		"a long client":      authorizeQuery("client_id", strings.Repeat("a", maxClientID+1)).Encode(),
		"two addresses":      authorizeQuery().Encode() + "&redirect_uri=http://127.0.0.1/other",
		"a damaged address":  "client_id=%zz",
	} {
		t.Run(name, func(t *testing.T) {
			answer := s.openPage(s.url + pathAuthorize + "?" + query)
			assert.True(t, answer.status == 400 && answer.header.Get("Location") == "", "%d to %q", answer.status, answer.header.Get("Location"))
		})
	}
}

func TestAuthorizeTellsTheClient(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	for _, c := range []struct{ name, value, want string }{
		{"response_type", "token", "unsupported_response_type"},
		{"response_type", "", "unsupported_response_type"},
		{"code_challenge", "", "invalid_request"},
		{"code_challenge", strings.Repeat("a", 42), "invalid_request"},
		{"code_challenge_method", "plain", "invalid_request"},
		{"code_challenge_method", "", "invalid_request"},
		{"request", "eyJ", "request_not_supported"},
		{"request_uri", "https://evil.example", "request_uri_not_supported"},
		{"prompt", "none", "login_required"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := s.openPage(s.url + pathAuthorize + "?" + authorizeQuery(c.name, c.value).Encode())
			target, err := url.Parse(answer.header.Get("Location"))
			assert.NoError(t, err, "%s %q", c.name, c.value)
			assert.Equal(t, answer.status, http.StatusSeeOther, "%s %q", c.name, c.value)
			assert.True(t, strings.HasPrefix(target.String(), callback+"?"), "%s %q: %d to %q", c.name, c.value, answer.status, target)
			assert.Equal(t, target.Query().Get("error"), c.want, "%s %q", c.name, c.value)
			assert.Equal(t, target.Query().Get("state"), "s", "%s %q", c.name, c.value)
			assert.True(t, !target.Query().Has("code"), "%s %q: %d to %q", c.name, c.value, answer.status, target)
		})
	}
	page := s.openPage(s.url + pathAuthorize + "?" + authorizeQuery().Encode())
	answer := s.postForm(pathAuthorize, fillForm(page, "email", "a@b.c", "answer", "deny"))
	assert.Contains(t, answer.header.Get("Location"), "error=access_denied", "cancelled: %d to", answer.status)
	again := s.postForm(pathAuthorize, fillForm(page, "email", "<script>alert(1)</script>", "answer", "allow"))
	assert.Equal(t, again.status, 422)
	assert.Contains(t, again.text, badEmail)
	assert.NotContains(t, again.text, "<script>")
}

func TestFormsAreSafeFromOtherSites(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	page := s.openPage(s.url + pathAuthorize + "?" + authorizeQuery().Encode())
	good := fillForm(page, "email", "a@b.c", "answer", "allow")
	with := func(name, value string) url.Values {
		form := url.Values{}
		for k, v := range good {
			form[k] = v
		}
		form.Set(name, value)
		return form
	}
	for _, c := range []struct {
		name    string
		form    url.Values
		headers []string
		want    int
	}{
		{"from another site", good, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"from another port", good, []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"from another origin", good, []string{"Origin", "http://evil.example"}, 403},
		{"from nowhere", good, []string{"Origin", "null"}, 403},
		{"without the signature", with("form", ""), nil, 403},
		{"with a wrong signature", with("form", strings.Repeat("A", 43)), nil, 403},
		{"a damaged request", with("request", "!"), nil, 400},
		{"an evil request", with("request", base64.RawURLEncoding.EncodeToString([]byte(authorizeQuery("redirect_uri", "https://evil.example").Encode()))), nil, 400},
		{"as it is", good, []string{"Sec-Fetch-Site", "same-origin", "Origin", s.url}, 303},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, s.postForm(pathAuthorize, c.form, c.headers...).status, c.want) })
	}
	s.browser = newBrowser(t)
	assert.Equal(t, s.postForm(pathAuthorize, good).status, 403, "in another browser")
	answer := s.postForm(pathDevice, url.Values{"user_code": {"BBBB-BBBB"}, "email": {"a@b.c"}, "answer": {"allow"}})
	assert.Equal(t, answer.status, 403, "the device's form without its page")
	assert.Equal(t, s.postForm(pathDevice, url.Values{"a": {strings.Repeat("a", maxForm)}}).status, 400, "a huge form")
}

var outside = regexp.MustCompile(`(?i)(src|href|url\(|@import|<script|on\w+=)`)

func TestPagesLoadNothing(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	for name, c := range map[string]struct{ address, formAction string }{
		"sign in":          {pathAuthorize + "?" + authorizeQuery("login_hint", `"><script>alert(1)</script>`).Encode(), "form-action 'self' http://127.0.0.1:4321;"},
		"sign in for IPv6": {pathAuthorize + "?" + authorizeQuery("redirect_uri", "http://[::1]:99/").Encode(), "form-action 'self' http:;"},
		"device":           {pathDevice + `?user_code="><img src=x>`, "form-action 'self';"},
		"fault":            {pathAuthorize, "form-action 'self';"},
	} {
		t.Run(name, func(t *testing.T) {
			page := s.openPage(s.url + strings.ReplaceAll(c.address, " ", "%20"))
			policy := page.header.Get("Content-Security-Policy")
			_, text, _ := strings.Cut(page.text, "<style>")
			sheet, rest, _ := strings.Cut(text, "</style>")
			hash := sha256.Sum256([]byte(sheet))
			styleHash := "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'"
			for _, want := range []string{"default-src 'none';", styleHash, c.formAction, "frame-ancestors 'none'", "base-uri 'none'"} {
				assert.Contains(t, policy, want)
			}
			assert.Equal(t, outside.FindString(rest+sheet), "", "the page holds")
			assert.Equal(t, page.header.Get("X-Frame-Options"), "DENY")
			assert.Equal(t, page.header.Get("Cache-Control"), "no-store")
			assert.Contains(t, page.text, `lang="en"`)
		})
	}
	cookie := s.browser.Jar.Cookies(&url.URL{Scheme: "http", Host: strings.TrimPrefix(s.url, "http://"), Path: "/oauth/"})
	assert.Equal(t, len(cookie), 1, "cookies %v", cookie)
	s.browser = newBrowser(t)
	set := s.openPage(s.url + pathDevice).header.Get("Set-Cookie")
	assert.True(t, strings.Contains(set, "HttpOnly") && strings.Contains(set, "SameSite=Strict"), "cookie %q", set)
}

func (s *site) newCode() string {
	s.Helper()
	page := s.openPage(s.url + pathAuthorize + "?" + authorizeQuery().Encode())
	answer := s.postForm(pathAuthorize, fillForm(page, "email", "a@b.c", "answer", "allow"))
	target, err := url.Parse(answer.header.Get("Location"))
	assert.Must(s, err == nil && target.Query().Get("code") != "", "%d to %q", answer.status, answer.header.Get("Location"))
	return target.Query().Get("code")
}

func TestCodes(t *testing.T) {
	c := &movableClock{at: time.Now()}
	s := newSite(t, t.TempDir(), c.readTime)
	form := func(code string, change ...string) url.Values {
		f := url.Values{"grant_type": {grantCode}, "client_id": {ClientID}, "redirect_uri": {callback}, "code_verifier": {codeVerifier}, "code": {code}}
		for i := 0; i < len(change); i += 2 {
			f.Set(change[i], change[i+1])
		}
		return f
	}
	for _, change := range [][]string{
		{"code_verifier", codeVerifier + "x"}, {"code_verifier", ""}, {"code_verifier", challengeOf(codeVerifier)}, {"client_id", "another"},
		{"redirect_uri", callback + "/"}, {"redirect_uri", ""}, {"code", "another"}, {"code", ""},
	} {
		code := s.newCode()
		answer := s.postForm(pathToken, form(code, change...))
		assert.True(t, answer.status == 400 && answer.errorCode(t) == "invalid_grant", "%q: %d %s", change, answer.status, answer.text)
		if change[0] == "code" {
			continue
		}
		assert.Equal(t, s.postForm(pathToken, form(code)).errorCode(t), "invalid_grant", "%q, then right: the code was good a second time", change)
	}
	code := s.newCode()
	first := assert.Value(s.exchangeTokens(t.Context(), form(code)))(t)
	assert.Equal(t, s.postForm(pathToken, form(code)).errorCode(t), "invalid_grant", "twice")
	checkVerify(t, s, first.Access, "the token of a code that was used twice", "signed out")
	code = s.newCode()
	c.moveBy(codeLifetime + time.Millisecond)
	assert.Equal(t, s.postForm(pathToken, form(code)).errorCode(t), "invalid_grant", "late")
}

func TestTokenEndpointRefuses(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	good := url.Values{"grant_type": {grantRefresh}, "client_id": {ClientID}}
	for name, c := range map[string]struct {
		form    url.Values
		headers []string
		status  int
		want    string
	}{
		"no grant":         {url.Values{"client_id": {ClientID}}, nil, 400, "invalid_request"},
		"password":         {url.Values{"grant_type": {"password"}, "client_id": {ClientID}}, nil, 400, "unsupported_grant_type"},
		"no client":        {url.Values{"grant_type": {grantRefresh}}, nil, 401, "invalid_client"},
		"a secret":         {good, []string{"Authorization", "Basic cGFybGV5LWNsaTp4"}, 401, "invalid_client"},
		"twice":            {url.Values{"grant_type": {grantRefresh}, "client_id": {ClientID, ClientID}}, nil, 400, "invalid_request"},
		"no form":          {good, []string{"Content-Type", "application/json"}, 400, "invalid_request"},
		"no refresh token": {good, nil, 400, "invalid_grant"},
		"huge":             {url.Values{"client_id": {strings.Repeat("a", maxForm)}}, nil, 400, "invalid_request"},
	} {
		t.Run(name, func(t *testing.T) {
			answer := s.postForm(pathToken, c.form, c.headers...)
			assert.Equal(t, answer.status, c.status, answer.text)
			assert.Equal(t, answer.errorCode(t), c.want, answer.text)
			assert.Equal(t, answer.header.Get("Cache-Control"), "no-store", answer.text)
			assert.True(t, (c.status == 401) == (answer.header.Get("WWW-Authenticate") != ""), "WWW-Authenticate %q", answer.header.Get("WWW-Authenticate"))
		})
	}
}

func TestProviderTokensAreForItsAddress(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	token := s.signIn().Access
	elsewhere := assert.Value(OpenProvider(ProviderOptions{Dir: s.dir, Issuer: "http://127.0.0.1:1"}))(t)
	checkVerify(t, elsewhere, token, "at another address", "another issuer")
	dev := assert.Value(s.IssueToken("a@b.c", time.Hour))(t)
	assert.Value(elsewhere.Verify(t.Context(), dev))(t, "a token of the folder")
}

func TestUserCodes(t *testing.T) {
	seen := map[string]bool{}
	for range 200 {
		code := newUserCode()
		assert.Equal(t, len(code), userCodeLength)
		assert.Equal(t, strings.Trim(code, userCodeLetters), "")
		assert.Must(t, !seen[code], "user code %q", code)
		seen[code] = true
		assert.Equal(t, normalizeUserCode(" "+strings.ToLower(formatUserCode(code))+"\n"), code, "typed")
	}
}

func FuzzLoopbackRedirect(f *testing.F) {
	for _, seed := range []string{callback, "http://[::1]/", "http://localhost?a=b", "http://127.0.0.1\\@evil/", "http://127.0.0.1:@evil/"} {
		f.Add(seed)
	}
	p := &Provider{issuer: "http://127.0.0.1:1"}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := loopbackRedirect(raw)
		if err != nil {
			return
		}
		location := p.redirectTo(authorization{redirect: raw, state: "s"}, url.Values{"code": {"c"}})
		again, err := url.Parse(location)
		assert.NoError(t, err, "%q leads to %q", raw, location)
		assert.Equal(t, again.Host, u.Host, "%q leads to %q", raw, location)
		assert.True(t, wire.IsLoopback(again.Hostname()), "%q leads to %q: %v", raw, location, err)
		assert.True(t, again.Query().Get("code") != "", "%q leads to %q: %v", raw, location, err)
		assert.True(t, !strings.ContainsAny(location, "\r\n \\"), "%q leads to %q: %v", raw, location, err)
	})
}

func FuzzUserCode(f *testing.F) {
	f.Add("bcdf-ghjk")
	f.Fuzz(func(t *testing.T, typed string) {
		code := normalizeUserCode(typed)
		assert.True(t, strings.Trim(code, userCodeLetters) == "" && normalizeUserCode(code) == code, "%q is %q", typed, code)
	})
}
