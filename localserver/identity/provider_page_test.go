package identity

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

const (
	callback     = "http://127.0.0.1:4321/callback"
	codeVerifier = "a-verifier-of-at-least-forty-three-characters"
)

// authorizeQuery returns a good request for a code with changes, name and value
// in turn; "" takes one out.
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
		"the service's name": authorizeQuery("client_id", devAudience).Encode(),
		"a strange client":   authorizeQuery("client_id", "a b").Encode(),
		"a long client":      authorizeQuery("client_id", strings.Repeat("a", maxClientID+1)).Encode(),
		"two addresses":      authorizeQuery().Encode() + "&redirect_uri=http://127.0.0.1/other",
		"a damaged address":  "client_id=%zz",
	} {
		t.Run(name, func(t *testing.T) {
			if answer := s.openPage(s.url + pathAuthorize + "?" + query); answer.status != 400 || answer.header.Get("Location") != "" {
				t.Errorf("%d to %q", answer.status, answer.header.Get("Location"))
			}
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
			if err != nil || answer.status != http.StatusSeeOther || !strings.HasPrefix(target.String(), callback+"?") ||
				target.Query().Get("error") != c.want || target.Query().Get("state") != "s" || target.Query().Has("code") {
				t.Errorf("%s %q: %d to %q", c.name, c.value, answer.status, target)
			}
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
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, s.postForm(pathAuthorize, c.form, c.headers...).status, c.want)
		})
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
			for _, want := range []string{"default-src 'none';", "'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'", c.formAction, "frame-ancestors 'none'", "base-uri 'none'"} {
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

// newCode returns a code for a good request.
func (s *site) newCode() string {
	s.Helper()
	page := s.openPage(s.url + pathAuthorize + "?" + authorizeQuery().Encode())
	answer := s.postForm(pathAuthorize, fillForm(page, "email", "a@b.c", "answer", "allow"))
	target, err := url.Parse(answer.header.Get("Location"))
	if err != nil || target.Query().Get("code") == "" {
		s.Fatalf("%d to %q", answer.status, answer.header.Get("Location"))
	}
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
	first, err := s.exchangeTokens(form(code))
	assert.NoError(t, err)
	assert.Equal(t, s.postForm(pathToken, form(code)).errorCode(t), "invalid_grant", "twice")
	_, err = s.Verify(t.Context(), first.Access)
	checkRefusal(t, "the token of a code that was used twice", err, "signed out")
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
			if (c.status == 401) != (answer.header.Get("WWW-Authenticate") != "") {
				t.Errorf("WWW-Authenticate %q", answer.header.Get("WWW-Authenticate"))
			}
		})
	}
	for _, token := range []string{"", "Bearer nonsense", "Basic " + s.signIn().Access} {
		t.Run(fmt.Sprintf("%.20q", token), func(t *testing.T) {
			r, _ := http.NewRequest(http.MethodGet, s.url+pathUserInfo, nil)
			r.Header.Set("Authorization", token)
			assert.Equal(t, s.doRequest(r).status, 401, "user info for %.20q", token)
		})
	}
}

func TestProviderTokensAreForItsAddress(t *testing.T) {
	s := newSite(t, t.TempDir(), nil)
	token := s.signIn().Access
	elsewhere, err := OpenProvider(ProviderOptions{Dir: s.dir, Issuer: "http://127.0.0.1:1"})
	assert.NoError(t, err)
	_, err = elsewhere.Verify(t.Context(), token)
	checkRefusal(t, "at another address", err, "another issuer")
	dev := assert.Value(s.IssueToken("a@b.c", time.Hour))(t)
	assert.Value(elsewhere.Verify(t.Context(), dev))(t, "a token of the folder")
}

func TestUserCodes(t *testing.T) {
	seen := map[string]bool{}
	for range 200 {
		code := newUserCode()
		assert.Must(t, len(code) == userCodeLength && strings.Trim(code, userCodeLetters) == "" && !seen[code],
			"user code %q", code)
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
		if err != nil || again.Host != u.Host || !wire.IsLoopback(again.Hostname()) || again.Query().Get("code") == "" || strings.ContainsAny(location, "\r\n \\") {
			t.Errorf("%q leads to %q: %v", raw, location, err)
		}
	})
}

func FuzzUserCode(f *testing.F) {
	f.Add("bcdf-ghjk")
	f.Fuzz(func(t *testing.T, typed string) {
		code := normalizeUserCode(typed)
		assert.True(t, strings.Trim(code, userCodeLetters) == "" && normalizeUserCode(code) == code, "%q is %q", typed, code)
	})
}
