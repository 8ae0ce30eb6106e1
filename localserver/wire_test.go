package localserver

import (
	"bufio"
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

// raw sends bytes unchanged and returns the response until the server closes the connection.
func (h *harness) raw(text string) string {
	h.Helper()
	conn := assert.Value(net.Dial("tcp", h.Addr()))(h)
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
	assert.Value(io.WriteString(conn, text))(h)
	answer, _ := io.ReadAll(conn)
	return string(answer)
}

// logLine is a line of the text log about a request.
var logLine = regexp.MustCompile(`^time=\S+ level=INFO msg=request method=(GET|POST|other) route=("[ -~]*"|\S*) status=\d+ duration=\S+ bytes=\d+ request_id=[0-9a-f-]{36}( code=[a-z-]+)?$`)

// TestLogInjection sends newlines, escapes and whole log lines in every place of a request that can
// contain them. The log has one line of ours for each request.
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
		if !strings.HasPrefix(answer, "HTTP/1.1 400 ") && !strings.HasPrefix(answer, "HTTP/1.1 505 ") || !strings.Contains(answer, "\r\nX-Request-Id: ") {
			t.Errorf("%q is answered %q", request, answer)
		}
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
	h.raw("POST " + wire.PathMigrateProgress + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled)
	h.raw("POST " + wire.PathMigrateProgress + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + smuggled)
	after := h.readMetrics()[unknown]
	assert.Equal(t, after, before, "%v smuggled requests were answered", after-before)
}

// TestNothingOfACallerInTheLog plays on both sides, including errors, and searches the log and the
// metrics for every text that came from outside.
func TestNothingOfACallerInTheLog(t *testing.T) {
	t.Parallel()
	h, _ := beginLimited(t)
	id := h.publishPersona()
	key := h.key(alice)
	const said, player, name = "I said this privately", "session-of-ann-7", "Annabella"
	begun := fmt.Sprintf(`{"user_session_id": %q, "player_name": %q, "player_gender": "female"}`, player, name)
	for _, paths := range [][2]string{{wire.PathInitSession, wire.PathMessage}, {wire.PathSDKInitSession, wire.PathSDKMessageStream}, {wire.PathInitSession, wire.PathMessageStream}} {
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
	words := []string{said, player, name, "Gate guard", "State your business", id, key, key[:len(api.KeyPrefix)+4], llmKey, "eyJ", "key-of-a-turn", alice, bob, "alice", "127.0.0.1"}
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
	if s.ReadHeaderTimeout > 30*time.Second || s.MaxHeaderBytes <= 0 || s.MaxHeaderBytes > 1<<20 {
		t.Errorf("header: %s, %d bytes", s.ReadHeaderTimeout, s.MaxHeaderBytes)
	}
	if answer := h.raw("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + strings.Repeat("x", s.MaxHeaderBytes+8192) + "\r\n\r\n"); !strings.HasPrefix(answer, "HTTP/1.1 431 ") && answer != "" {
		t.Errorf("a long header: %.80q", answer)
	}
}

// openSlowConnections opens connections that stop in the middle: in the header, before it, in the
// body, and one that never reads its answer.
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

// TestSlowConnections keeps two thousand connections idle and uses new ones meanwhile. A benchmark
// in cmd does the same with ten thousand, because here one process needs both ends of each
// connection.
func TestSlowConnections(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	h.send("", "POST", wire.Path(wire.PathInitSession, id), initJSON("ann")).want(200)
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

// TestPipelinedRequests: requests that come all at once on one connection are answered in order.
func TestPipelinedRequests(t *testing.T) {
	h := begin(t)
	answers := h.raw(strings.Repeat("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 20) + "GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
	reader := bufio.NewReader(strings.NewReader(answers))
	for i := range 21 {
		answer := assert.Value(http.ReadResponse(reader, nil))(t)
		assert.Equal(t, answer.StatusCode, map[bool]int{true: 404, false: 200}[i == 20], "answer %d", i)
		discard(answer)
	}
}
