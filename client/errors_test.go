package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/parley-npc/parley/client"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func answerWith(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		w.Header().Set("X-Request-Id", "from-header")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestRefusals(t *testing.T) {
	const json = "application/json"
	for _, tt := range []struct {
		status                  int
		contentType, body       string
		message, code, id, text string
	}{
		{404, json, `{"error":"no such persona","code":"not-found","request_id":"r1"}`, "no such persona", "not-found", "r1", "no such persona"},
		{403, json, `{"error":{"message":"locked","code":"machine-locked","request_id":"r2"}}`, "locked", "machine-locked", "r2", "locked"},
		{422, json, `{"detail":"bad"}`, "bad", "", "from-header", "bad"},
		{422, json, `{"detail":[{"loc":["a"],"msg":"one"},{"msg":"two"}]}`, "one; two", "", "from-header", "one; two"},
		{422, json, `{"error":"bad","details":[{"path":"name","message":"is missing"}]}`, "bad", "", "from-header", "bad\n  name: is missing"},
		{400, "text/plain", "what?", "what?", "", "from-header", "what?"},
		{401, "", "", "", "", "from-header", "the service answered with status 401"},
		{401, "text/html", "<html>", "", "", "from-header", "the service answered with status 401"},
		{409, json, `{}`, "{}", "", "from-header", "{}"},
		{400, "text/plain", "you sent Bearer " + secret, "you sent Bearer [token]", "", "from-header", "you sent Bearer [token]"},
	} {
		t.Run(fmt.Sprintf("%d %.50q", tt.status, tt.body), func(t *testing.T) {
			server := startServer(t, answerWith(tt.status, tt.contentType, tt.body))
			c, _ := newTestClient(t, server.URL)
			_, err := c.Persona(t.Context(), "p")
			e := assert.ErrorAs[*wire.Error](t, err, tt.body)
			if e.Status != tt.status || e.Message != tt.message || e.Code != tt.code || e.RequestID != tt.id || e.Error() != tt.text {
				t.Errorf("%s:\n got %+v %q", tt.body, *e, e.Error())
			}
		})
	}
}

func TestNotTheService(t *testing.T) {
	const js = "application/json; charset=utf-8"
	for _, tt := range []struct {
		name              string
		status            int
		contentType, body string
		problem           string
	}{
		{"page", 200, "text/html; charset=utf-8", "<!doctype html><p>Welcome</p>", "answered text/html"},
		{"page as JSON", 200, js, " <html>", "answered application/json"},
		{"page for 404", 404, "text/html", "<h1>Not Found</h1>", "answered 404 with a page of HTML"},
		{"page without a type", 405, "", "<h1>no</h1>", "answered 405 with a page of HTML"},
		{"text", 200, "text/plain", "It works!", "answered text/plain"},
		{"nothing", 200, js, "", "answered with an empty body"},
		{"nothing at all", 204, "", "", "answered with an empty body"},
		{"cut JSON", 200, js, `{"id":"p1","na`, "answered invalid application/json"},
		{"bad JSON", 200, js, `{"id":pk_live_1}`, "answered invalid application/json"},
		{"bad time", 200, js, `{"created_at":"yesterday"}`, "answered invalid application/json"},
		{"two values", 200, js, `{} {}`, "answered invalid application/json"},
		{"another shape", 200, js, `[1]`, "answered invalid application/json"},
		{"another type", 200, js, `{"name":5}`, "answered invalid application/json"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := startServer(t, answerWith(tt.status, tt.contentType, tt.body))
			c, _ := newTestClient(t, server.URL)
			_, err := c.Persona(t.Context(), "p")
			strange := assert.ErrorAs[*client.NotServiceError](t, err, tt.problem)
			assert.Equal(t, strange.Problem, tt.problem)
			assert.Equal(t, strange.Status, tt.status)
			want := server.URL + "/api/v1/personas/p " + tt.problem + "; this is not the persona chat service"
			assert.Contains(t, err.Error(), want, err)
		})
	}
}

// TestDeleteAnsweredWithPage: a site that answers everything with its home page has deleted nothing.
func TestDeleteAnsweredWithPage(t *testing.T) {
	server := startServer(t, answerWith(200, "text/html", "<html>"))
	c, _ := newTestClient(t, server.URL)
	assert.ErrorAs[*client.NotServiceError](t, c.DeletePersona(t.Context(), "p"), "a page of HTML counts as deleted")
}

func TestSizeOfAnswers(t *testing.T) {
	size := 0
	server := startServer(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"email":"`)
		_, _ = io.WriteString(w, strings.Repeat("x", size-len(`{"email":""}`)))
		_, _ = io.WriteString(w, `"}`)
	})
	c, slept := newTestClient(t, server.URL)
	size = client.MaxAnswer
	assert.Equal(t, len(assert.Value(c.Me(t.Context()))(t).Email), size-len(`{"email":""}`), "an answer at the limit")
	size++
	_, err := c.Me(t.Context())
	big := assert.ErrorAs[*client.NotServiceError](t, err, "an answer past the limit")
	assert.Contains(t, big.Problem, "more than 32 MiB")
	assert.Equal(t, len(*slept), 0)
}

// TestRedirects: neither the token nor a body goes to another host, and only a GET is redirected.
func TestRedirects(t *testing.T) {
	leaked := false
	other := startServer(t, func(w http.ResponseWriter, _ *http.Request) { leaked = true; _, _ = io.WriteString(w, "{}") })
	var home *httptest.Server
	to := ""
	home = startServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			assert.Equal(t, r.Header.Get("Authorization"), "Bearer "+secret, "a redirect within the host loses the token")
			_, _ = io.WriteString(w, `{"id":"u1"}`)
		default:
			http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		}
	})
	c, _ := newTestClient(t, home.URL)
	for _, tt := range []struct{ kind, to, refusal string }{
		{"read", "/moved", ""},
		{"read", other.URL + "/x?token=abc", "answered with a redirect (307) to " + other.URL + "/x, which the client does not follow"},
		{"read", strings.Replace(home.URL, "127.0.0.1", "localhost", 1) + "/moved", "does not follow"},
		{"read", strings.Replace(home.URL, "http:", "https:", 1) + "/moved", "does not follow"},
		{"read", "/again", "does not follow"}, // for ever
		{"message", "/moved", "does not follow"},
		{"key", other.URL, "does not follow"},
		{"delete", "/moved", "does not follow"},
	} {
		t.Run(tt.kind+" to "+tt.to, func(t *testing.T) {
			to = tt.to
			err := listCalls()[tt.kind](t.Context(), c)
			if tt.refusal == "" && err != nil || tt.refusal != "" && (err == nil || !strings.Contains(err.Error(), tt.refusal)) {
				t.Errorf("%s to %s: %v", tt.kind, tt.to, err)
			}
		})
	}
	assert.True(t, !leaked, "another host was called")
}

func TestNoSecretInErrors(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body); <-r.Context().Done() }
	handlers := map[string]http.HandlerFunc{
		"echo":    func(w http.ResponseWriter, r *http.Request) { http.Error(w, fmt.Sprint(r.Header), 400) },
		"page":    answerWith(200, "text/html", "<p>"+secret),
		"shape":   answerWith(200, "application/json", `["`+secret+`"]`),
		"drop":    func(w http.ResponseWriter, _ *http.Request) { dropConnection(t, w) },
		"hang":    hang,
		"gateway": answerWith(502, "text/plain", secret),
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://ann:hush@127.0.0.1:1/?t="+secret, http.StatusFound)
		},
	}
	for name, handler := range handlers {
		t.Run(name, func(t *testing.T) {
			server := startServer(t, handler)
			c, _ := newTestClient(t, strings.Replace(server.URL, "//", "//ann:hush@", 1), func(o *client.Options) { o.Timeout = 50e6 })
			_, err := c.Me(t.Context())
			for e := err; e != nil; e = errors.Unwrap(e) {
				text := fmt.Sprintf("%v %+v %#v", e, e, e)
				assert.True(t, !strings.Contains(text, secret) && !strings.Contains(text, "hush"), "%s: %s", name, text)
			}
			assert.True(t, err != nil, "%s: no error", name)
		})
	}
}

// TestUntrusted: an untrusted certificate is not tried again, no request is sent, and the error names the cause.
func TestUntrusted(t *testing.T) {
	server := httptest.NewUnstartedServer(answerWith(200, "application/json", "{}"))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	c, slept := newTestClient(t, server.URL)
	_, err := c.Me(t.Context())
	lost := assert.ErrorAs[*client.UnreachableError](t, err)
	if lost.Broken || !strings.Contains(err.Error(), "certificate") || len(*slept) != 0 {
		t.Errorf("got %v after %v", err, *slept)
	}
	c, _ = newTestClient(t, server.URL, func(o *client.Options) { o.HTTPClient = server.Client() })
	assert.Value(c.Me(t.Context()))(t, "with the certificate's authority")
}

func TestProxyErrorHidesPassword(t *testing.T) {
	fail := roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, errors.New(`invalid proxy address "http://ann:hush@proxy"`)
	})
	c, _ := newTestClient(t, "http://persona.example", func(o *client.Options) { o.HTTPClient = &http.Client{Transport: fail} })
	_, err := c.Me(context.Background())
	assert.ErrorContains(t, err, "http://persona.example cannot be reached")
	assert.NotContains(t, err.Error(), "hush")
}

type roundTrip func(*http.Request) (*http.Response, error)

func (t roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }
