package localserver

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// PKCE's code_verifier and code_challenge in these tests (RFC 7636 appendix B).
const (
	pkceVerifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	pkceChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	redirectURI   = "http://127.0.0.1:9/callback"
)

// browserOf is a browser that keeps cookies and does not follow a program's redirect.
func browserOf(t testing.TB) *http.Client {
	jar := assert.Value(cookiejar.New(nil))(t)
	client := &http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client
}

// visit requests a server's page with a browser, optionally with a form.
func (h *harness) visit(browser *http.Client, path string, form url.Values) (*http.Response, string) {
	h.Helper()
	r, err := http.NewRequestWithContext(h.Context(), http.MethodGet, h.URL()+path, nil)
	if form != nil {
		r, err = http.NewRequestWithContext(h.Context(), http.MethodPost, h.URL()+path, strings.NewReader(form.Encode()))
	}
	assert.NoError(h, err)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer := assert.Value(browser.Do(r))(h)
	defer answer.Body.Close()
	var text bytes.Buffer
	assert.Value(text.ReadFrom(answer.Body))(h)
	return answer, text.String()
}

// postToken sends a form to a server's endpoint, for example to get tokens.
func (h *harness) postToken(path string, form url.Values) (int, map[string]any) {
	h.Helper()
	form.Set("client_id", identity.ClientID)
	answer, text := h.visit(browserOf(h), path, form)
	var object map[string]any
	if text != "" {
		assert.NoError(h, json.Unmarshal([]byte(text), &object), text)
	}
	return answer.StatusCode, object
}

// userOf asks a server for the user of a token.
func (h *harness) userOf(token string) replied {
	h.Helper()
	return h.send("", "GET", wire.PathMe, "", "Authorization", "Bearer "+token)
}

var hiddenField = regexp.MustCompile(`name="(form|request)" value="([^"]*)"`)

// fillForm reads the hidden fields of a page.
func fillForm(page string, with url.Values) url.Values {
	for _, field := range hiddenField.FindAllStringSubmatch(page, -1) {
		with.Set(field[1], field[2])
	}
	return with
}

// authorizeQuery returns the query of a request for a code.
func authorizeQuery() url.Values {
	return url.Values{
		"client_id": {identity.ClientID}, "redirect_uri": {redirectURI}, "response_type": {"code"}, "scope": {"openid offline_access"},
		"code_challenge": {pkceChallenge}, "code_challenge_method": {"S256"}, "state": {"s"},
	}
}

// signInOver signs a user in by a code, with each step at the next server. It returns the code and
// the tokens.
func signInOver(t *testing.T, nodes []*harness) (code string, tokens map[string]any) {
	t.Helper()
	browser := browserOf(t)
	_, page := nodes[0].visit(browser, "/oauth/authorize?"+authorizeQuery().Encode(), nil)
	answer, page := nodes[1].visit(browser, "/oauth/authorize", fillForm(page, url.Values{"answer": {"allow"}, "email": {alice}}))
	back := assert.Value(answer.Location())(t, "%d %s", answer.StatusCode, page)
	code = back.Query().Get("code")
	status, tokens := nodes[2].postToken("/oauth/token", codeForm(code))
	assert.Must(t, status == http.StatusOK, "%d %v", status, tokens)
	return code, tokens
}

func codeForm(code string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirectURI}, "code_verifier": {pkceVerifier}}
}

func refreshForm(tokens map[string]any) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {tokens["refresh_token"].(string)}}
}

// TestSignInOverNodes begins a sign-in at one server, answers its form at the second and completes
// it at the third. All servers accept its tokens, and after signing out none does.
func TestSignInOverNodes(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 3)
	_, tokens := signInOver(t, nodes)
	for _, node := range nodes {
		node.userOf(tokens["access_token"].(string)).want(http.StatusOK)
	}
	status, fresh := nodes[0].postToken("/oauth/token", refreshForm(tokens))
	assert.Must(t, status == http.StatusOK, "%d %v", status, fresh)
	nodes[1].userOf(fresh["access_token"].(string)).want(http.StatusOK)
	if status, _ := nodes[1].postToken("/oauth/revoke", url.Values{"token": {fresh["access_token"].(string)}}); status != http.StatusOK {
		t.Errorf("revoking: %d", status)
	}
	for _, node := range nodes {
		node.userOf(fresh["access_token"].(string)).want(http.StatusUnauthorized)
		status, _ := node.postToken("/oauth/token", refreshForm(fresh))
		assert.Equal(t, status, http.StatusBadRequest, "a refresh token of a sign-in that has ended")
	}
}

// TestOldSecretEndsSignInOverNodes: if a code or a refresh token is used again at another server,
// the sign-in ends.
func TestOldSecretEndsSignInOverNodes(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 3)
	for name, again := range map[string]func(code string, tokens map[string]any) url.Values{
		"code":          func(code string, _ map[string]any) url.Values { return codeForm(code) },
		"refresh token": func(_ string, tokens map[string]any) url.Values { return refreshForm(tokens) },
	} {
		t.Run(name, func(t *testing.T) {
			code, tokens := signInOver(t, nodes)
			status, fresh := nodes[1].postToken("/oauth/token", refreshForm(tokens))
			assert.Must(t, status == http.StatusOK, "%d %v", status, fresh)
			if status, _ := nodes[0].with(t).postToken("/oauth/token", again(code, tokens)); status != http.StatusBadRequest {
				t.Errorf("status %d", status)
			}
			nodes[2].with(t).userOf(fresh["access_token"].(string)).want(http.StatusUnauthorized)
		})
	}
}

// TestOneCodeAtOnceOverNodes: if one refresh token is used at three servers at the same time, at
// most one use succeeds.
func TestOneCodeAtOnceOverNodes(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 3)
	for range 3 {
		_, tokens := signInOver(t, nodes)
		won := make(chan int, len(nodes))
		for _, node := range nodes {
			go func() {
				status, _ := node.postToken("/oauth/token", refreshForm(tokens))
				won <- status
			}()
		}
		good := 0
		for range nodes {
			switch status := <-won; status {
			case http.StatusOK:
				good++
			case http.StatusBadRequest:
			default:
				t.Errorf("status %d", status)
			}
		}
		assert.Equal(t, good, 1, "servers took the same refresh token")
	}
}

// TestDeviceOverNodes allows a device's sign-in at another server than the device polls.
func TestDeviceOverNodes(t *testing.T) {
	t.Parallel()
	clock := &clock{start: time.Now()}
	nodes := beginNodes(t, 3, func(o *Options) { o.Now = clock.now })
	_, begun := nodes[0].postToken("/oauth/device_authorization", url.Values{"scope": {"openid"}})
	browser := browserOf(t)
	_, page := nodes[1].visit(browser, "/oauth/device", nil)
	answer, page := nodes[2].visit(browser, "/oauth/device", fillForm(page, url.Values{"answer": {"allow"}, "email": {bob}, "user_code": {begun["user_code"].(string)}}))
	assert.Must(t, answer.StatusCode == http.StatusOK, "%d %s", answer.StatusCode, page)
	clock.forward(10 * time.Second)
	form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "device_code": {begun["device_code"].(string)}}
	status, tokens := nodes[1].postToken("/oauth/token", form)
	assert.Must(t, status == http.StatusOK, "%d %v", status, tokens)
	nodes[0].userOf(tokens["access_token"].(string)).want(http.StatusOK)
	if status, again := nodes[2].postToken("/oauth/token", form); status != http.StatusBadRequest {
		t.Errorf("the device is told twice: %d %v", status, again)
	}
}

// TestGuessesOverNodes: wrong user codes are counted over all servers.
func TestGuessesOverNodes(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 2)
	browser := browserOf(t)
	last := 0
	for i := range 21 {
		_, page := nodes[i%2].visit(browser, "/oauth/device", nil)
		answer, _ := nodes[i%2].visit(browser, "/oauth/device", fillForm(page, url.Values{"answer": {"deny"}, "user_code": {"BCDF-GHJK"}}))
		last = answer.StatusCode
	}
	assert.Equal(t, last, http.StatusTooManyRequests, "the 21st guess")
}

// TestKeysOverNodes: all servers publish the same keys. A token made in one server's data folder is
// valid on the others, even if they started before it. If a key is deleted from the database, only
// its own server accepts it.
func TestKeysOverNodes(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 3)
	for _, maker := range nodes {
		for _, node := range nodes {
			node.userOf(maker.token(alice)).want(http.StatusOK)
		}
	}
	seen := map[string]bool{}
	for _, node := range nodes {
		_, text := node.visit(browserOf(t), "/oauth/jwks.json", nil)
		assert.Equal(t, strings.Count(text, `"kid"`), 3)
		assert.NotContains(t, text, `"d"`)
		seen[text] = true
	}
	assert.Equal(t, len(seen), 1, "the keys are not the same everywhere")
	pool := assert.Value(storetest.OpenPool(nodes[0].database))(t)
	defer func() { _ = pool.Close() }()
	assert.Value(pool.ExecContext(t.Context(), "DELETE FROM provider_records WHERE kind = 'key'"))(t)
	nodes[1].userOf(nodes[0].token(alice)).want(http.StatusUnauthorized)
	nodes[0].userOf(nodes[0].token(alice)).want(http.StatusOK)
}

// TestNoSecretInDatabase searches the records for every secret of a sign-in.
func TestNoSecretInDatabase(t *testing.T) {
	t.Parallel()
	nodes := beginNodes(t, 3)
	code, tokens := signInOver(t, nodes)
	_, begun := nodes[0].postToken("/oauth/device_authorization", url.Values{"scope": {"openid"}})
	pool := assert.Value(storetest.OpenPool(nodes[0].database))(t)
	defer func() { _ = pool.Close() }()
	var all string
	assert.NoError(t, pool.QueryRowContext(t.Context(), "SELECT string_agg(kind || ' ' || id || ' ' || content, chr(10)) FROM provider_records").Scan(&all))
	_, secret, _ := strings.Cut(tokens["refresh_token"].(string), ".")
	userCode := begun["user_code"].(string)
	for name, text := range map[string]string{
		"code": code, "access token": tokens["access_token"].(string), "refresh token": secret, "device code": begun["device_code"].(string),
		"user code": userCode, "user code without -": strings.ReplaceAll(userCode, "-", ""), "private key": `"d":`,
	} {
		assert.NotContains(t, all, text, "the database has the %s", name)
	}
	for _, kind := range []string{"sign-in ", "device ", "key "} {
		assert.Contains(t, all, kind)
	}
}

// TestSignInWithoutDatabase: while the database does not answer, a token or a code that may be
// valid is never reported as invalid.
func TestSignInWithoutDatabase(t *testing.T) {
	t.Parallel()
	own, address := storetest.Start(t)
	in := func(o *Options) { o.Database.Address = address }
	nodes := []*harness{begin(t, in), begin(t, in), begin(t, in)}
	code, tokens := signInOver(t, nodes)
	assert.NoError(t, own.Kill())
	nodes[0].userOf(tokens["access_token"].(string)).want(http.StatusServiceUnavailable)
	nodes[1].userOf(nodes[0].token(alice)).want(http.StatusServiceUnavailable)
	for _, form := range []url.Values{codeForm(code), refreshForm(tokens)} {
		status, said := nodes[0].postToken("/oauth/token", form)
		assert.True(t, status == http.StatusServiceUnavailable && said["error"] == "temporarily_unavailable", "%d %v", status, said)
	}
	answer, page := nodes[2].visit(browserOf(t), "/oauth/jwks.json", nil)
	assert.Equal(t, answer.StatusCode, http.StatusServiceUnavailable, "the keys: %d %s", answer.StatusCode, page)
	assert.NoError(t, own.Restart(t.Context()))
	nodes[1].userOf(tokens["access_token"].(string)).want(http.StatusOK)
	status, said := nodes[2].postToken("/oauth/token", refreshForm(tokens))
	assert.Equal(t, status, http.StatusOK, "afterwards: %d %v", status, said)
}
