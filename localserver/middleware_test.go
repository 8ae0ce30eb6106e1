package localserver

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func TestHost(t *testing.T) {
	const shared = "3f9c0b7de28a4651c7fa90d35be8126e"
	h := begin(t, func(o *Options) { o.Hosts, o.Tokens.JWTSecretFile = []string{"Parley.Test"}, secretFile(t, shared) })
	h.tokens[alice] = sharedToken(shared, alice)
	_, port, _ := strings.Cut(h.Addr(), ":")
	for host, ok := range map[string]bool{
		h.Addr(): true, "localhost:" + port: true, "LOCALHOST": true, "127.0.0.1": true, "127.1.2.3:80": true,
		"[::1]:" + port: true, "[::1]": true, "localhost.": true, "parley.test:9": true, "PARLEY.test": true,
		"evil.example": false, "evil.example:" + port: false, "localhost.evil.example": false, "127.0.0.1.evil.example": false,
		"192.168.1.1": false, "0.0.0.0": false, "xlocalhost": false, "parley.test.evil.example": false,
	} {
		t.Run(host, func(t *testing.T) {
			h := h.with(t)
			answer := h.send(alice, "GET", wire.PathMe, "", "Host", host)
			if ok {
				answer.want(200)
				return
			}
			answer.fails(403, wire.CodeForbidden)
		})
	}
}

func TestOtherSitesPages(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	reset := wire.Path(wire.PathReset, id) + "?user_session_id=ann"
	for name, c := range map[string]struct {
		headers []string
		ok      bool
	}{
		"no browser":       {nil, true},
		"same origin":      {[]string{"Sec-Fetch-Site", "same-origin", "Origin", h.URL()}, true},
		"another site":     {[]string{"Sec-Fetch-Site", "cross-site"}, false},
		"an old browser":   {[]string{"Origin", "https://evil.example"}, false},
		"a sandbox":        {[]string{"Origin", "null"}, false},
		"a sibling's port": {[]string{"Sec-Fetch-Site", "same-site"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := h.with(t)
			h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
			answer := h.send("", "POST", reset, "", c.headers...)
			if c.ok {
				answer.want(200)
				return
			}
			assert.Contains(t, answer.fails(403, wire.CodeForbidden).Message, "other sites", name)
		})
	}
}

// TestLogLine checks the log line of a request: its content, and what it must not contain.
func TestLogLine(t *testing.T) {
	h := begin(t)
	before := len(h.journal.String())
	answer := h.send(alice, "GET", wire.Path(wire.PathHistory, "secret-id")+"?user_session_id=secret", "")
	lines := strings.Split(strings.TrimSpace(h.journal.String()[before:]), "\n")
	assert.Must(t, len(lines) == 1, "%d lines: %v", len(lines), lines)
	var line map[string]any
	assert.NoError(t, json.Unmarshal([]byte(lines[0]), &line))
	checkJSON(t, line, jsonOf(t, map[string]any{
		"msg": "request", "method": "GET", "route": wire.PathHistory, "status": 404,
		"bytes": len(answer.body), "request_id": answer.header.Get(wire.HeaderRequestID), "code": wire.CodeNotFound,
	}))
	assert.Equal(t, members(line), "bytes code duration level method msg request_id route status time", "the line")
}

// TestLogNamesTheRefusal: the log line of a refused call contains the code of its answer, on both
// sides, and that of a successful one does not.
func TestLogNamesTheRefusal(t *testing.T) {
	h := begin(t)
	for _, c := range []struct{ caller, method, path, body, code string }{
		{"", "GET", wire.PathMe, "", wire.CodeUnauthenticated},
		{alice, "GET", "/nothing", "", wire.CodeNotFound},
		{alice, "POST", wire.PathSave, "{", wire.CodeBadRequest},
		{alice, "POST", wire.PathSave, "{}", wire.CodeInvalid},
		{"", "POST", wire.PathAPIKeys, "{}", wire.CodeUnauthenticated},
		{"", "GET", "/", "", ""},
	} {
		before := len(h.journal.String())
		h.send(c.caller, c.method, c.path, c.body)
		var line struct{ Code string }
		if err := json.Unmarshal([]byte(h.journal.String()[before:]), &line); err != nil || line.Code != c.code {
			t.Errorf("%s %s: %q, want %q, %v", c.method, c.path, line.Code, c.code, err)
		}
	}
}

func TestRequestIDsAreOurs(t *testing.T) {
	h := begin(t)
	seen := map[string]bool{}
	for range 3 {
		id := h.send("", "GET", "/nothing", "", wire.HeaderRequestID, "mine").header.Get(wire.HeaderRequestID)
		assert.True(t, !seen[id] && id != "mine", "request id %q", id)
		seen[id] = true
	}
}

func TestOtherPages(t *testing.T) {
	h := begin(t)
	for path, want := range map[string]string{
		"/":        `{"service": "parley local server", "version": "test", "interface": "/api/v1"}`,
		"/healthz": `{"status": "ok"}`,
		"/readyz":  `{"status": "ready"}`,
	} {
		t.Run(path, func(t *testing.T) {
			h := h.with(t)
			answer := h.send("", "GET", path, "")
			checkJSON(t, answer.want(200), want)
			checkHeaders(t, path, answer)
			h.send("", http.MethodPost, path, "").fails(405, wire.CodeMethod)
		})
	}
}

func TestHeadHasNoBody(t *testing.T) {
	h := begin(t)
	answer := h.send("", http.MethodHead, wire.PathPersonas, "")
	assert.True(t, answer.status == 200 && len(answer.body) == 0, "status %d, body %q", answer.status, answer.body)
}
