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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/parley-npc/parley/personas/assert"
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

// site is a development provider over real HTTP, with the browser of a user.
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

// pageShown is an answer to the browser.
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

// fillForm returns the hidden fields of a page with the user's input added.
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

// newClient returns the real client library, configured by the real discovery.
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
	if page.status != 200 || !strings.Contains(page.text, `value="ann@example.com"`) || !strings.Contains(page.text, "127.0.0.1:4321") {
		t.Fatalf("the page: %d %s", page.status, page.text)
	}
	answer := s.postForm(pathAuthorize, fillForm(page, "email", "Alice@Example.com", "answer", "allow"))
	target, err := url.Parse(answer.header.Get("Location"))
	assert.Must(t, err == nil && answer.status == http.StatusSeeOther, "%d %s", answer.status, answer.text)
	query := target.Query()
	if !strings.HasPrefix(target.String(), callback+"&") || query.Get("state") != state || query.Get("iss") != s.url || query.Get("from") != "parley" {
		t.Errorf("redirected to %s", target)
	}
	token := assert.Value(client.Exchange(s.clientContext(), query.Get("code"), oauth2.VerifierOption(verifier)))(t)
	assert.Equal[any](t, token.Extra("scope"), "openid profile email offline_access", "scope")
	raw, _ := token.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: ClientID}).Verify(s.clientContext(), raw)
	assert.NoError(t, err)
	var own struct{ Email, Name string }
	assert.NoError(t, errors.Join(id.Claims(&own), id.VerifyAccessToken(token.AccessToken)))
	want := User{subjectOf("alice@example.com"), "alice@example.com", "alice"}
	assert.True(t, id.Nonce == "n-1" && id.Subject == want.ID && own.Email == want.Email && own.Name == want.DisplayName,
		"ID token %+v %+v", id, own)
	if user, err := s.Verify(t.Context(), token.AccessToken); err != nil || user != want {
		t.Errorf("user %+v, %v", user, err)
	}
	_, err = s.Verify(t.Context(), raw)
	checkRefusal(t, "the ID token as an access token", err, "another service")
	info := assert.Value(provider.UserInfo(s.clientContext(), oauth2.StaticTokenSource(token)))(t)
	assert.Equal(t, info.Subject, want.ID)
	assert.Equal(t, info.Email, want.Email)
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
	token, err := client.DeviceAccessToken(s.clientContext(), device)
	assert.NoError(t, err)
	page := <-allowed
	assert.True(t, page.status == 200 && strings.Contains(page.text, "alice@example.com"), "the page: %d %s", page.status, page.text)
	if user, err := s.Verify(t.Context(), token.AccessToken); err != nil || user.Email != "alice@example.com" {
		t.Errorf("user %+v, %v", user, err)
	}
	_, err = client.DeviceAccessToken(s.clientContext(), device)
	refused, ok := errors.AsType[*oauth2.RetrieveError](err)
	assert.True(t, ok && refused.ErrorCode == "invalid_grant", "a second time: %v", err)
}

// oauthAnswer reads an error's code or nothing.
func (a pageShown) errorCode(t testing.TB) string {
	t.Helper()
	var e oauthError
	assert.NoError(t, json.Unmarshal([]byte(a.text), &e), "%d %s", a.status, a.text)
	return e.Code
}

// beginDevice begins a device sign-in.
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
	_, err := s.devices.pollDevice(secret, "another")
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
	d := newPendingDevices(c.readTime, 0)
	for i := range maxDevices {
		_, _, err := d.addDevice(fmt.Sprint(i), "c", "")
		assert.NoError(t, err)
	}
	_, _, err := d.addDevice("one more", "c", "")
	assert.ErrorIs(t, err, errManyDevices, "one more")
	c.moveBy(2*deviceLifetime + time.Second)
	_, _, err = d.addDevice("one more", "c", "")
	assert.NoError(t, err, "after they have expired")
	codes := newAuthCodes(c.readTime)
	for range maxCodes + 10 {
		codes.addCode(authorization{}, "a@b.c")
	}
	n := len(codes.byHash)
	assert.True(t, n <= maxCodes, "%d codes wait", n)
}

// challengeOf returns the S256 challenge of a verifier.
func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
