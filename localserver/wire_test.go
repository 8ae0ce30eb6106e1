package localserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

func (h *harness) raw(text string) string {
	h.Helper()
	conn := assert.Value(net.Dial("tcp", h.Addr()))(h)
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	assert.Value(io.WriteString(conn, text))(h)
	answer, _ := io.ReadAll(conn)
	return string(answer)
}

var logLine = regexp.MustCompile(`^time=\S+ level=INFO msg=request method=(GET|POST|other) route=("[ -~]*"|\S*) status=\d+ duration=\S+ bytes=\d+ request_id=[0-9a-f-]{36}( code=[a-z-]+)?$`)

// TestLogInjection: the log has one line for each request, for any text in it.
func TestLogInjection(t *testing.T) {
	j := &journal{}
	h := begin(t, func(o *Options) { o.Log = slog.New(slog.NewTextHandler(j, nil)) })
	const host = "Host: 127.0.0.1\r\nConnection: close\r\n"
	const forged = "time=2026-01-01T00:00:00Z level=ERROR msg=FORGED"
	requests := []string{
		"GET /%0a" + strings.ReplaceAll(forged, " ", "%20") + " HTTP/1.1\r\n" + host + "\r\n",
		"GET /%1b%5b31mFORGED%07 HTTP/1.1\r\n" + host + "\r\n",
		"GET " + wire.PathPersonas + "?limit=%0d%0aFORGED HTTP/1.1\r\n" + host + "\r\n",
		"GET " + wire.Path(wire.PathPersona, "x\nFORGED") + " HTTP/1.1\r\n" + host + "\r\n",
		"GET / HTTP/1.1\r\n" + host + "User-Agent: FORGED \xc2\x9b31m\xe2\x80\xae\r\n\r\n",
		"GET / HTTP/1.1\r\n" + host + "Referer: FORGED\tlevel=ERROR\r\nX-Forwarded-For: FORGED\r\nX-Request-Id: FORGED\r\n\r\n",
		"FORGED / HTTP/1.1\r\n" + host + "\r\n",
		"GET / HTTP/1.1\r\nHost: FORGED.example\r\nConnection: close\r\n\r\n",
		"GET /api/v1/auth/me HTTP/1.1\r\n" + host + "Authorization: Bearer FORGED\r\n\r\n",
		"GET /api/v1/sdk/personas HTTP/1.1\r\n" + host + "X-API-Key: FORGED\r\n\r\n",
		"POST " + wire.PathMigrateProgress + " HTTP/1.1\r\n" + host + "Content-Type: FORGED/x\r\nContent-Length: 2\r\n\r\n{}",
	}
	for _, request := range requests {
		answer := h.raw(request)
		assert.True(t, strings.HasPrefix(answer, "HTTP/1.1 ") && strings.Contains(answer, "\r\nX-Request-Id: "), "%q is answered %q", request, answer)
	}
	// An invalid HTTP request gets an id and a log line too.
	unreadable := []string{
		"GET / HTTP/1.1\r\n" + host + "User-Agent: FORGED\x1b[31m\r\n\r\n",
		"GET / HTTP/1.1\r\n" + host + "User-Agent: FORGED\rlevel=ERROR\r\n\r\n",
		"GET /FORGED\x00 HTTP/1.1\r\n" + host + "\r\n",
		"GET / HTTP/1.1\r\nHost: a\r\nHost: FORGED\r\n\r\n",
		"POST /FORGED HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n{}",
		"GET / FORGED/1.1\r\n" + host + "\r\n",
	}
	for _, request := range unreadable {
		answer := h.raw(request)
		isRefused := strings.HasPrefix(answer, "HTTP/1.1 400 ") || strings.HasPrefix(answer, "HTTP/1.1 505 ")
		assert.True(t, isRefused && strings.Contains(answer, "\r\nX-Request-Id: "), "%q is answered %q", request, answer)
	}
	lines := strings.Split(strings.TrimSuffix(j.String(), "\n"), "\n")
	assert.Equal(t, len(lines), len(requests)+len(unreadable))
	for _, line := range lines {
		assert.True(t, logLine.MatchString(line) && !strings.Contains(line, "FORGED"), "no line of ours: %q", line)
	}
}

// TestOneBodyOneRequest: a request with an ambiguous length is never read as two requests.
func TestOneBodyOneRequest(t *testing.T) {
	h := begin(t)
	smuggled := "GET /smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
	const unknown = `parley_http_requests_total{route="none",method="GET",status="404"}`
	before := h.readMetrics()[unknown]
	h.raw("POST " + wire.PathMigrateProgress + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" +
		"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled)
	h.raw("POST " + wire.PathMigrateProgress + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + smuggled)
	after := h.readMetrics()[unknown]
	assert.Equal(t, after, before, "%v smuggled requests were answered", after-before)
}

// TestNothingOfACallerInTheLog: neither log nor metrics contain a text of a caller.
func TestNothingOfACallerInTheLog(t *testing.T) {
	t.Parallel()
	h, _ := beginLimited(t)
	id := h.publishPersona()
	key := h.key(alice)
	const said, player, name = "I said this privately", "session-of-ann-7", "Annabella"
	begun := fmt.Sprintf(`{"user_session_id": %q, "player_name": %q, "player_gender": "female"}`, player, name)
	for _, paths := range [][2]string{
		{wire.PathInitSession, wire.PathMessage}, {wire.PathSDKInitSession, wire.PathSDKMessageStream},
		{wire.PathInitSession, wire.PathMessageStream},
	} {
		who := key
		if paths[0] == wire.PathInitSession {
			who = ""
		}
		h.send(who, "POST", wire.Path(paths[0], id), begun).want(200)
		h.send(who, "POST", wire.Path(paths[1], id), messageJSON(player, said), wire.HeaderIdempotencyKey, "key-of-a-turn"+paths[1][8:11]).want(200)
		h.send(who, "POST", wire.Path(paths[1], id), `{"message": "`+said).want(400)
		h.send(who, "POST", wire.Path(paths[1], id)+"?machine_id="+name, messageJSON(player, said)).want(404)
	}
	h.send(bob, "DELETE", wire.Path(wire.PathPersona, id), "").want(403)
	h.send("", "GET", wire.PathMe, "", "Authorization", "Bearer eyJ-not-a-token").want(401)
	h.send(api.KeyPrefix+"0123456789abcdef", "GET", wire.PathSDKPersonas, "").want(401)
	h.send(alice, "GET", wire.PathMe, "", "User-Agent", name, "Referer", "https://"+name+".example", "Cookie", "c="+said).want(200)
	for range numberOf(api.LimitGeneral) + 10 {
		h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id="+player, "")
	}
	h.send("", "GET", wire.Path(wire.PathHistory, id)+"?user_session_id="+player, "").checkRefused(numberOf(api.LimitGeneral), api.LimitGeneral)
	metrics := string(h.send("", "GET", "/metrics", "").body)
	words := []string{
		said, player, name, "Gate guard", "State your business", id, key, key[:len(api.KeyPrefix)+4], llmKey, "eyJ",
		"key-of-a-turn", alice, bob, "alice", "127.0.0.1",
	}
	for who := range h.tokens {
		words = append(words, h.tokens[who])
	}
	for _, word := range append(words, h.Token()) {
		assert.NotContains(t, h.journal.String(), word, "the log holds")
		assert.NotContains(t, metrics, word, "the metrics hold")
	}
	lines := strings.Count(h.journal.String(), "\n")
	assert.True(t, lines >= 145, "only %d lines are logged", lines)
}

// TestTimeLimitsAreSet: an idle connection is closed, in each of its states.
func TestTimeLimitsAreSet(t *testing.T) {
	h := begin(t)
	s := h.http
	for name, limit := range map[string]time.Duration{
		"header": s.ReadHeaderTimeout, "request": s.ReadTimeout, "answer": s.WriteTimeout, "idle": s.IdleTimeout,
	} {
		assert.True(t, limit > 0 && limit <= 10*time.Minute, "%s: %s", name, limit)
	}
	assert.True(t, s.ReadHeaderTimeout <= 30*time.Second, "header: %s, %d bytes", s.ReadHeaderTimeout, s.MaxHeaderBytes)
	assert.True(t, s.MaxHeaderBytes > 0 && s.MaxHeaderBytes <= 1<<20, "header: %s, %d bytes", s.ReadHeaderTimeout, s.MaxHeaderBytes)
	answer := h.raw("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + strings.Repeat("x", s.MaxHeaderBytes+8192) + "\r\n\r\n")
	assert.True(t, strings.HasPrefix(answer, "HTTP/1.1 431 ") || answer == "", "a long header: %.80q", answer)
}

func openSlowConnections(t testing.TB, address string, n int) (closeAll func()) {
	t.Helper()
	beginnings := []string{
		"", "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
		"POST " + wire.PathMigrateProgress + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
		"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
	}
	var open []net.Conn
	closeAll = func() {
		for _, conn := range open {
			_ = conn.Close()
		}
	}
	for i := range n {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_, err = io.WriteString(conn, beginnings[i%len(beginnings)])
		}
		if err != nil {
			closeAll()
			t.Fatalf("connection %d: %v", i, err)
		}
		open = append(open, conn)
	}
	return closeAll
}

// TestSlowConnections keeps two thousand connections idle and uses new ones meanwhile.
func TestSlowConnections(t *testing.T) {
	h := begin(t)
	id := h.openGate()
	release := openSlowConnections(t, h.Addr(), 2000)
	defer release()
	begun := time.Now()
	for range 50 {
		h.client.CloseIdleConnections() // Each on a new connection.
		h.send("", "GET", wire.Path(wire.PathPersona, id), "").want(200)
	}
	h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hello")).want(200)
	took := time.Since(begun)
	assert.True(t, took <= patience, "51 requests took %s", took)
}

func TestPipelinedRequests(t *testing.T) {
	h := begin(t)
	answers := h.raw(strings.Repeat("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 20) +
		"GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
	reader := bufio.NewReader(strings.NewReader(answers))
	for i := range 21 {
		answer := assert.Value(http.ReadResponse(reader, nil))(t)
		assert.Equal(t, answer.StatusCode, map[bool]int{true: 404, false: 200}[i == 20], "answer %d", i)
		discard(answer)
	}
}

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
		h.run(t, host, func(t *testing.T, h *harness) {
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
		h.run(t, name, func(t *testing.T, h *harness) {
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
		err := json.Unmarshal([]byte(h.journal.String()[before:]), &line)
		assert.True(t, err == nil && line.Code == c.code, "%s %s: %q, want %q, %v", c.method, c.path, line.Code, c.code, err)
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
		h.run(t, path, func(t *testing.T, h *harness) {
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

// TestOptionsOfTheServer: OPTIONS * passes the same checks as every request.
func TestOptionsOfTheServer(t *testing.T) {
	h := begin(t)
	got := readAnswer(t, h.raw("OPTIONS * HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"))
	got.fails(403, wire.CodeForbidden)
}

func TestMethodAndMediaTypeHaveCodes(t *testing.T) {
	h := begin(t)
	for _, path := range []string{wire.PathPersonas, wire.PathSDKPersonas} {
		h.send("", "PUT", path, "{}").fails(405, wire.CodeMethod)
	}
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hi"), "Content-Type", "text/plain").fails(415, wire.CodeMediaType)
	h.send(alice, "POST", wire.PathAPIKeys, `{"name": "x"}`, "Content-Type", "text/plain").fails(415, wire.CodeMediaType)
	assert.Equal(t, wire.StatusOf(wire.CodeMethod), 405, "the codes' statuses are not known to clients")
	assert.Equal(t, wire.StatusOf(wire.CodeMediaType), 415, "the codes' statuses are not known to clients")
}

// TestMisspeltPlayLinkIsAPage: a browser that opens a damaged play link gets a page.
func TestMisspeltPlayLinkIsAPage(t *testing.T) {
	h := begin(t)
	for _, path := range []string{
		"/play/..%2F..", "/play/%2e%2e", "/play/", "/play", "/play/a/b", "/play//", "/play/../x",
		"/play/..%2f..%2fetc%2fpasswd", "/play/a%00", "/play/%ff", "/play/" + nobodyID,
	} {
		t.Run(path, func(t *testing.T) {
			got := readAnswer(t, h.with(t).raw("GET "+path+" HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"))
			assert.Equal(t, got.status, 404)
			assert.True(t, strings.HasPrefix(got.header.Get("Content-Type"), "text/html"), "%d %v", got.status, got.header)
			assert.Contains(t, string(got.body), "<!DOCTYPE html>")
		})
	}
	h.send("", "POST", "/play/x", "{}").fails(405, wire.CodeMethod)
	h.send("", "GET", "/playing", "").fails(404, wire.CodeNotFound)
}
