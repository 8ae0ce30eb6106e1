package signin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change map[string]any
		want   string
	}{
		"another name":       {map[string]any{"issuer": "https://other.example"}, "has the issuer"},
		"no tokens":          {map[string]any{"token_endpoint": ""}, "lacks the token endpoint"},
		"tokens by http":     {map[string]any{"token_endpoint": "http://accounts.example.com/token"}, "must start with https"},
		"browser by file":    {map[string]any{"authorization_endpoint": "file:///etc/passwd"}, "must start with https"},
		"browser by script":  {map[string]any{"authorization_endpoint": "javascript:alert(1)"}, "must start with https"},
		"a user in it":       {map[string]any{"revocation_endpoint": "https://a:b@accounts.example.com/"}, "must start with https"},
		"a number for text":  {map[string]any{"token_endpoint": 1}, "does not answer with the expected JSON"},
		"keys without a TLS": {map[string]any{"jwks_uri": "http://10.0.0.1/keys"}, "must start with https"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFakeProvider(t)
			for k, v := range c.change {
				d.about[k] = v
			}
			_, err := Open(t.Context(), d.signinOptions())
			assert.ErrorContains(t, err, c.want, name)
		})
	}
}

// TestFirstBadEndpoint: of two invalid addresses, the error names the same one each time.
func TestFirstBadEndpoint(t *testing.T) {
	m := metadata{Authorization: "http://a.example", Token: "http://b.example", Keys: "http://c.example"}
	for range 50 {
		assert.ErrorContains(t, m.checkMetadata(""), "its authorization endpoint")
	}
}

func TestOpenOfWhatIsNoProvider(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"404":     {http.NotFound, "404"},
		"a page":  {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<!doctype html><html>") }, "HTML"},
		"garbage": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "{]") }, "does not answer with the expected JSON"},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/", http.StatusFound)
		}, "redirect"},
		"10 MB":    {func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 10<<20)) }, "larger than 1024 KiB"},
		"broken":   {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
		"one past": {func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, maxAnswer+1)) }, "larger than 1024 KiB"},
		"the limit": {func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte("{]" + strings.Repeat(" ", maxAnswer-2)))
		}, "does not answer with the expected JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFakeProvider(t)
			d.Config.Handler = c.answer
			_, err := Open(t.Context(), d.signinOptions())
			assert.ErrorContains(t, err, c.want)
			assert.ErrorContains(t, err, d.URL)
		})
	}
	d := newFakeProvider(t)
	d.Close()
	_, err := Open(t.Context(), d.signinOptions())
	assert.ErrorContains(t, err, d.URL, "down")
}

func TestCheckIssuer(t *testing.T) {
	for issuer, good := range map[string]bool{
		"https://accounts.example.com": true, "https://accounts.example.com/realms/a/": true, "http://127.0.0.1:8787": true, "http://localhost:1": true,
		"http://[::1]:8787": true, "": false, "accounts.example.com": false, "http://accounts.example.com": false, "ftp://127.0.0.1": false,
		"https://a:b@example.com": false, "https://example.com/?a=b": false, "https://example.com/#a": false, "http://127.0.0.1.example.com": false, "://": false,
	} {
		t.Run(fmt.Sprintf("%q", issuer), func(t *testing.T) {
			err := CheckIssuer(issuer)
			assert.Equal(t, err == nil, good, "%q: %v", issuer, err)
		})
	}
}

func TestDevice(t *testing.T) {
	d := newFakeProvider(t)
	d.answers = []http.HandlerFunc{
		d.refuseWith("authorization_pending"), d.refuseWith("slow_down"), d.refuseWith("authorization_pending"),
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) },
		d.giveTokens("id_token", d.idToken(map[string]any{"exp": d.now.Add(3 * time.Hour).Unix()})),
	}
	var shown Code
	got := assert.Value(d.openProvider().SignInByDevice(t.Context(), func(c Code) { shown = c }))(t)
	assert.Equal(t, shown.User, "ABCD-EFGH")
	assert.Equal(t, shown.Address, d.URL+"/enter")
	assert.True(t, strings.HasSuffix(shown.Complete, "?user_code=ABCD-EFGH"), "shown: %+v", shown)
	assert.Equal(t, got.Access, secretAccess)
	assert.Equal(t, got.Refresh, secretNext)
	assert.Equal(t, got.Person, Person{"u1", "ann@example.com", "Ann"})
	assert.True(t, got.Expires.Equal(d.now.Add(time.Hour)), "tokens until %s", got.Expires)
	second := time.Second
	want := []time.Duration{5*second + slack, 5*second + slack, 10*second + slack, 10*second + slack, 20*second + slack}
	assert.DeepEqual(t, d.slept, want)
	assert.Equal(t, d.forms[0].Get("scope"), "openid profile email offline_access")
	assert.Equal(t, d.forms[0].Get("audience"), "the-service")
	assert.Equal(t, d.forms[1].Get("device_code"), secretDevice)
	assert.Equal(t, d.forms[1].Get("grant_type"), grantDevice)
}

// TestDeviceGoesOn: a provider that limits callers or breaks connections off does not end a sign-in.
func TestDeviceGoesOn(t *testing.T) {
	d := newFakeProvider(t)
	d.answers = []http.HandlerFunc{
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
		func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		d.giveTokens(),
	}
	assert.Equal(t, assert.Value(d.openProvider().SignInByDevice(t.Context(), func(Code) {}))(t).Access, secretAccess)
}

func TestDeviceEnds(t *testing.T) {
	write := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, text) }
	}
	for name, c := range map[string]struct {
		answer func(*fakeProvider) http.HandlerFunc
		want   string
	}{
		"denied":         {func(d *fakeProvider) http.HandlerFunc { return d.refuseWith(CodeDenied) }, "told: access_denied"},
		"expired":        {func(d *fakeProvider) http.HandlerFunc { return d.refuseWith(CodeExpired) }, "told: expired_token"},
		"unknown client": {func(d *fakeProvider) http.HandlerFunc { return d.refuseWith("invalid_client") }, "told: invalid_client"},
		"garbage":        {func(*fakeProvider) http.HandlerFunc { return write(secretAccess) }, "does not answer with the expected JSON"},
		"a page":         {func(*fakeProvider) http.HandlerFunc { return write("<!doctype html><html>" + secretAccess) }, "HTML"},
		"10 MB":          {func(*fakeProvider) http.HandlerFunc { return write(strings.Repeat(secretAccess, 400_000)) }, "larger than"},
		"no token":       {func(d *fakeProvider) http.HandlerFunc { return d.giveTokens("access_token", nil) }, "no access token"},
		"a MAC token":    {func(d *fakeProvider) http.HandlerFunc { return d.giveTokens("token_type", "mac") }, "not a bearer token"},
		"a line break":   {func(d *fakeProvider) http.HandlerFunc { return d.giveTokens("access_token", secretAccess+"\r\nX: y") }, "characters"},
		"403 in words": {func(*fakeProvider) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }
		}, "answers with status 403"},
		"redirect": {func(*fakeProvider) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "http://evil.example/", http.StatusTemporaryRedirect)
			}
		}, "not followed"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFakeProvider(t)
			d.answers = []http.HandlerFunc{c.answer(d)}
			_, err := d.openProvider().SignInByDevice(t.Context(), func(Code) {})
			assert.ErrorContains(t, err, c.want, name)
			checkNoSecrets(t, err)
		})
	}
}

// TestDeviceGivesUp: the attempt ends when the code expires, for any answers of the provider.
func TestDeviceGivesUp(t *testing.T) {
	d := newFakeProvider(t)
	for range 200 {
		d.answers = append(d.answers, d.refuseWith("authorization_pending"))
	}
	begun := d.now
	_, err := d.openProvider().SignInByDevice(t.Context(), func(Code) {})
	refused, ok := errors.AsType[*RefusedError](err)
	assert.Must(t, ok, "%v", err)
	assert.Equal(t, refused.Code, CodeExpired)
	assert.True(t, d.now.Sub(begun) <= 11*time.Minute, "after %s", d.now.Sub(begun))
	ctx, cancel := context.WithCancel(t.Context())
	_, err = d.openProvider().SignInByDevice(ctx, func(Code) { cancel() })
	assert.ErrorIs(t, err, context.Canceled, "interrupted")
}

func TestDeviceBeginsBadly(t *testing.T) {
	for name, answer := range map[string]map[string]any{
		"no code":   {"device_code": "", "user_code": "A", "verification_uri": "https://a.example"},
		"no user":   {"device_code": "a", "verification_uri": "https://a.example"},
		"a script":  {"device_code": "a", "user_code": "A", "verification_uri": "javascript:alert(1)"},
		"a command": {"device_code": "a", "user_code": "A", "verification_uri": "https://a.example/ --remote"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFakeProvider(t)
			inner := d.Config.Handler
			d.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/device" {
					d.writeJSON(w, 200, answer)
					return
				}
				inner.ServeHTTP(w, r)
			})
			_, err := d.openProvider().SignInByDevice(t.Context(), func(c Code) { t.Errorf("%s: shown %+v", name, c) })
			assert.True(t, err != nil, "%s: no error", name)
		})
	}
}

func TestRenew(t *testing.T) {
	d := newFakeProvider(t)
	old := Tokens{Access: "old", Refresh: "old-refresh", Scope: "openid", Person: Person{Subject: "u1", Email: "ann@example.com"}}
	p := d.openProvider()
	d.answers = []http.HandlerFunc{
		d.giveTokens(), d.giveTokens("refresh_token", nil),
		d.giveTokens("id_token", d.idToken(map[string]any{"sub": "u2"})), d.refuseWith("invalid_grant"),
	}
	got := assert.Value(p.Renew(t.Context(), old))(t)
	assert.Equal(t, got.Access, secretAccess)
	assert.Equal(t, got.Refresh, secretNext)
	assert.Equal(t, got.Person, old.Person)
	assert.Equal(t, got.Scope, "openid")
	assert.Equal(t, d.forms[0].Get("grant_type"), "refresh_token")
	assert.Equal(t, d.forms[0].Get("refresh_token"), "old-refresh")
	assert.Equal(t, assert.Value(p.Renew(t.Context(), old))(t).Refresh, "old-refresh", "not rotated")
	if _, err := p.Renew(t.Context(), old); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("another user: %v", err)
	}
	_, err := p.Renew(t.Context(), old)
	refused, ok := errors.AsType[*RefusedError](err)
	assert.Must(t, ok, "refused: %v", err)
	assert.Equal(t, refused.Code, "invalid_grant")
	_, err = p.Renew(t.Context(), Tokens{})
	assert.True(t, err != nil, "renewed without a refresh token")
}

// TestRenewWithoutKeys: new tokens are kept even without keys to check, but not with a wrong signature.
func TestRenewWithoutKeys(t *testing.T) {
	old := Tokens{Access: "old", Refresh: "old-refresh", Person: Person{Subject: "u1", Email: "ann@example.com"}}
	d := newFakeProvider(t)
	p := d.openProvider()
	d.answers = []http.HandlerFunc{d.giveTokens("id_token", d.idToken(map[string]any{"sub": "u1"})+"x")}
	_, err := p.Renew(t.Context(), old)
	assert.True(t, err != nil, "a wrong signature is accepted")
	d.about["jwks_uri"] = d.URL + "/nothing"
	p = d.openProvider()
	d.answers = []http.HandlerFunc{d.giveTokens("id_token", d.idToken(map[string]any{"sub": "u1"}))}
	got := assert.Value(p.Renew(t.Context(), old))(t)
	assert.Equal(t, got.Access, secretAccess)
	assert.Equal(t, got.Refresh, secretNext)
	assert.Equal(t, got.Person, old.Person)
}

func TestRevoke(t *testing.T) {
	d := newFakeProvider(t)
	p := d.openProvider()
	for _, tokens := range []Tokens{{Access: "a", Refresh: "r"}, {Access: "a"}} {
		assert.NoError(t, p.Revoke(t.Context(), tokens))
	}
	assert.Must(t, len(d.revoked) == 2, "revoked %v", d.revoked)
	assert.Equal(t, d.revoked[0].Get("token"), "r")
	assert.Equal(t, d.revoked[1].Get("token"), "a")
	delete(d.about, "revocation_endpoint")
	assert.ErrorIs(t, d.openProvider().Revoke(t.Context(), Tokens{Access: "a"}), ErrNoRevocation)
}

func TestDue(t *testing.T) {
	begun := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) time.Time { return begun.Add(d) }
	for _, c := range []struct {
		expires, now time.Time
		due, expired bool
	}{
		{time.Time{}, at(1000 * time.Hour), false, false},
		{at(time.Hour), at(58*time.Minute - time.Second), false, false},
		{at(time.Hour), at(58 * time.Minute), true, false},
		{at(time.Hour), at(time.Hour), true, true},
		{at(40 * time.Second), at(29 * time.Second), false, false},
		{at(40 * time.Second), at(30 * time.Second), true, false},
	} {
		t.Run(fmt.Sprintf("until %s at %s", c.expires.Format(time.TimeOnly), c.now.Format(time.TimeOnly)), func(t *testing.T) {
			token := Tokens{Issued: begun, Expires: c.expires}
			assert.Equal(t, token.IsDue(c.now), c.due, "until %s at %s", c.expires, c.now)
			assert.Equal(t, token.IsExpired(c.now), c.expired, "until %s at %s", c.expires, c.now)
		})
	}
}

func TestTokensHideThemselves(t *testing.T) {
	token := Tokens{Access: secretAccess, Refresh: secretNext}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "token", token, "in", struct{ T Tokens }{token})
	for _, text := range []string{
		fmt.Sprint(token), fmt.Sprintf("%v %+v %#v %s %q", token, token, token, token, token),
		fmt.Sprintf("%+v %#v", struct{ T Tokens }{token}, &token), log.String(),
	} {
		assert.NotContains(t, text, secretAccess)
		assert.NotContains(t, text, secretNext)
	}
}

func TestExpires(t *testing.T) {
	now := time.Unix(1_000_000, 0).UTC()
	for _, c := range []struct {
		in   any
		want time.Time
	}{{3600, now.Add(time.Hour)}, {"3600", now.Add(time.Hour)}, {0, time.Time{}}, {nil, time.Time{}}, {-5, time.Time{}}, {1e300, time.Time{}}} {
		t.Run(fmt.Sprintf("%#v", c.in), func(t *testing.T) {
			d := newFakeProvider(t)
			d.now = now
			d.answers = []http.HandlerFunc{d.giveTokens("expires_in", c.in)}
			got, err := d.openProvider().Renew(t.Context(), Tokens{Refresh: "r"})
			assert.NoError(t, err)
			assert.True(t, got.Expires.Equal(c.want), "expires_in %v: %s", c.in, got.Expires)
		})
	}
}

func TestOpenable(t *testing.T) {
	for address, want := range map[string]bool{
		"https://a.example/b?c=d&e=f%20g#h": true, "http://127.0.0.1:1/": true, "http://[::1]:1/": true,
		"": false, "a.example": false, "file:///etc/passwd": false, "javascript:alert(1)": false, "https://": false, "https://a b": false,
		"https://a.example/\"": false, "https://a.example/'": false, "https://a.example/\x1b[0m": false,
		"https://a:b@example.com/": false, "--version": false, `https://a.example\@b`: false,
	} {
		t.Run(fmt.Sprintf("%q", address), func(t *testing.T) { assert.Equal(t, IsOpenable(address), want, address) })
	}
}

func FuzzClaims(f *testing.F) {
	f.Add("a.eyJzdWIiOiJ1MSIsImV4cCI6MX0.c")
	f.Add("..")
	f.Fuzz(func(t *testing.T, token string) {
		who, expires := ReadClaims(token)
		if strings.Count(token, ".") != 2 && (who != Person{} || !expires.IsZero()) {
			t.Errorf("%q names %+v until %s", token, who, expires)
		}
	})
}

func FuzzOpenable(f *testing.F) {
	f.Add("https://a.example/b?c")
	f.Fuzz(func(t *testing.T, address string) {
		if IsOpenable(address) && (strings.ContainsAny(address, " \t\r\n\"'`\\") || !strings.HasPrefix(strings.ToLower(address), "http")) {
			t.Errorf("%q would be opened", address)
		}
	})
}
