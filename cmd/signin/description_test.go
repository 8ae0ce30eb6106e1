package signin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

// documents is a host with JSON documents by path, which records its requests.
type documents struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func serveDocuments(t *testing.T, answers func(base string) map[string]http.HandlerFunc) *documents {
	d := &documents{}
	var handlers map[string]http.HandlerFunc
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.mu.Lock()
		d.asked = append(d.asked, r.URL.Path)
		d.mu.Unlock()
		assert.Equal(t, r.Header.Get("Authorization"), "", "%s is asked with a secret", r.URL.Path)
		assert.Equal(t, r.Header.Get("Cookie"), "", "%s is asked with a secret", r.URL.Path)
		handler, ok := handlers[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		handler(w, r)
	}))
	t.Cleanup(d.Close)
	handlers = answers(d.URL)
	return d
}

func writeText(format string, args ...any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, format, args...)
	}
}

// TestServerMetadata: a provider is also found by RFC 8414, and must name the requested issuer.
func TestServerMetadata(t *testing.T) {
	const good = `{"issuer": "%s%s", "token_endpoint": "%[1]s/token"}`
	for name, c := range map[string]struct {
		issuer, path string
		named        string
		want         string
	}{
		"OpenID":                   {"", "/.well-known/openid-configuration", "", ""},
		"OpenID with a path":       {"/realms/a", "/realms/a/.well-known/openid-configuration", "/realms/a", ""},
		"RFC 8414":                 {"", "/.well-known/oauth-authorization-server", "", ""},
		"RFC 8414 with a path":     {"/realms/a", "/.well-known/oauth-authorization-server/realms/a", "/realms/a", ""},
		"RFC 8414 and a slash":     {"/realms/a/", "/.well-known/oauth-authorization-server/realms/a", "/realms/a/", ""},
		"another name by OpenID":   {"", "/.well-known/openid-configuration", "/other", "has the issuer"},
		"another name by RFC 8414": {"", "/.well-known/oauth-authorization-server", "/other", "has the issuer"},
		"elsewhere":                {"/realms/a", "/.well-known/oauth-authorization-server", "/realms/a", "404"},
	} {
		t.Run(name, func(t *testing.T) {
			d := serveDocuments(t, func(base string) map[string]http.HandlerFunc {
				return map[string]http.HandlerFunc{c.path: writeText(good, base, c.named)}
			})
			_, err := Open(t.Context(), Options{Issuer: d.URL + c.issuer, ClientID: client})
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			assert.True(t, len(d.asked) <= 2, "asked %v", d.asked)
		})
	}
	// A page of HTML for every path, as web applications have it, hides no description.
	d := serveDocuments(t, func(base string) map[string]http.HandlerFunc {
		return map[string]http.HandlerFunc{
			"/.well-known/openid-configuration":       func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<!doctype html>") },
			"/.well-known/oauth-authorization-server": writeText(good, base, ""),
		}
	})
	assert.Value(Open(t.Context(), Options{Issuer: d.URL, ClientID: client}))(t)
}

// TestReadResource: a description is found in two places of the service, and must be for the address.
func TestReadResource(t *testing.T) {
	const at = "/.well-known/oauth-protected-resource"
	evil := serveDocuments(t, func(string) map[string]http.HandlerFunc { return nil })
	for name, c := range map[string]struct {
		base    string
		answers func(base string) map[string]http.HandlerFunc
		want    string
	}{
		"at the host": {"", func(base string) map[string]http.HandlerFunc {
			return map[string]http.HandlerFunc{at: writeText(`{"resource": "%s/", "authorization_servers": ["x"]}`, base)}
		}, ""},
		"at the path": {"/npc/", func(base string) map[string]http.HandlerFunc {
			return map[string]http.HandlerFunc{at + "/npc": writeText(`{"resource": "%s/npc"}`, base)}
		}, ""},
		"at the host of a path": {"/npc", func(base string) map[string]http.HandlerFunc {
			return map[string]http.HandlerFunc{at: writeText(`{"resource": "%s"}`, base)}
		}, ""},
		"nowhere": {"", func(string) map[string]http.HandlerFunc { return nil }, ErrNoResource.Error()},
		"another resource": {"", func(string) map[string]http.HandlerFunc {
			return map[string]http.HandlerFunc{at: writeText(`{"resource": "https://bank.example.com"}`)}
		}, "is for another address"},
		"one below": {"", func(base string) map[string]http.HandlerFunc {
			return map[string]http.HandlerFunc{at: writeText(`{"resource": "%s/npc"}`, base)}
		}, "is for another address"},
		"one beside": {"/npc", func(base string) map[string]http.HandlerFunc {
			return map[string]http.HandlerFunc{at + "/npc": writeText(`{"resource": "%s/np"}`, base)}
		}, "is for another address"},
		"no name": {"", func(string) map[string]http.HandlerFunc {
			return map[string]http.HandlerFunc{at: writeText(`{}`)}
		}, "is for another address"},
		"a redirect": {"", func(string) map[string]http.HandlerFunc {
			return map[string]http.HandlerFunc{at: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, evil.URL, http.StatusFound)
			}}
		}, "not followed"},
		"2 MB": {"", func(string) map[string]http.HandlerFunc {
			return map[string]http.HandlerFunc{at: func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 2<<20)) }}
		}, "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			d := serveDocuments(t, c.answers)
			got, err := ReadResource(t.Context(), d.URL+c.base, "test")
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%+v, %v", got, err)
			}
			assert.True(t, len(d.asked) <= 4, "asked %v", d.asked)
		})
	}
	assert.Empty(t, evil.asked, "a stranger was asked")
}

func TestSilentDescription(t *testing.T) {
	ended := make(chan struct{})
	d := serveDocuments(t, func(string) map[string]http.HandlerFunc {
		return map[string]http.HandlerFunc{"/.well-known/oauth-protected-resource": func(http.ResponseWriter, *http.Request) { <-ended }}
	})
	defer close(ended)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("no answer"))
	defer cancel()
	_, err := ReadResource(ctx, d.URL, "test")
	assert.ErrorContains(t, err, "no answer")
}

// TestResourceAtEveryRequest: the resource is in every request (RFC 8707), the audience in the first.
func TestResourceAtEveryRequest(t *testing.T) {
	d := newFakeProvider(t)
	o := d.signinOptions()
	o.Resource = "urn:example:npc"
	p := assert.Value(Open(t.Context(), o))(t)
	d.answers = []http.HandlerFunc{d.giveTokens(), d.giveTokens()}
	got, err := p.SignInByDevice(t.Context(), func(Code) {})
	if err == nil {
		_, err = p.Renew(t.Context(), got)
	}
	var begun url.Values
	if err == nil {
		_, err = p.SignInByBrowser(t.Context(), func(address string) {
			at, _ := url.Parse(address)
			begun = at.Query()
			go d.openPage(address, nil)
		}, acceptAll)
	}
	assert.NoError(t, err)
	for i, form := range append(d.forms, begun) {
		assert.EqualSlices(t, form["resource"], []string{o.Resource}, "request %d", i)
	}
	assert.Equal(t, begun.Get("audience"), "the-service")
	assert.Equal(t, begun.Get("prompt"), "consent")
	assert.NoError(t, p.Revoke(t.Context(), got))
	assert.True(t, !d.revoked[0].Has("resource"), "revoked with %v", d.revoked)
}

// TestConsent: consent is asked for where the token that renews others needs it.
func TestConsent(t *testing.T) {
	for _, c := range []struct {
		scopes, prompts []string
		want            string
	}{
		{nil, nil, "consent"},
		{[]string{"openid"}, nil, ""},
		{nil, []string{"none", "login"}, ""},
		{nil, []string{"login", "consent"}, "consent"},
	} {
		d := newFakeProvider(t)
		if c.prompts != nil {
			d.about["prompt_values_supported"] = c.prompts
		}
		o := d.signinOptions()
		o.Scopes = c.scopes
		p := assert.Value(Open(t.Context(), o))(t)
		at, _ := url.Parse(p.authorizeURL(newBrowserAttempt("127.0.0.1:1")))
		assert.Equal(t, at.Query().Get("prompt"), c.want, "%v of %v", c.scopes, c.prompts)
	}
}

// TestPageWaits: the page appears after the tokens were checked, and shows the result.
func TestPageWaits(t *testing.T) {
	for _, refusal := range []error{nil, errors.New("not for this service")} {
		d := newFakeProvider(t)
		pages := make(chan string, 1)
		_, err := d.openProvider().SignInByBrowser(t.Context(), func(address string) {
			go func() {
				_, page := d.openPage(address, nil)
				pages <- page
			}()
		}, func(context.Context, Tokens) error {
			select {
			case page := <-pages:
				t.Errorf("it says before the end: %s", page)
			case <-time.After(50 * time.Millisecond):
			}
			return refusal
		})
		page := <-pages
		assert.ErrorIs(t, err, refusal)
		assert.Equal(t, strings.Contains(page, "You are signed in"), refusal == nil, "%v: %s", refusal, page)
	}
}

func TestToldIsShort(t *testing.T) {
	d := newFakeProvider(t)
	d.answers = []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
		d.writeJSON(w, 400, map[string]string{"error": "invalid_grant", "error_description": "no\nsigned in to your bank " + strings.Repeat("猫", 100_000)})
	}}
	_, err := d.openProvider().Renew(t.Context(), Tokens{Refresh: "r"})
	assert.Must(t, err != nil, "no error")
	assert.True(t, len([]rune(err.Error())) <= maxProviderText+100, "%.200v", err)
	assert.NotContains(t, err.Error(), "\n")
}
