package localserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// TestUnreadableRequestsAreAnsweredByUs: requests that net/http refuses before any handler get our
// body, in the format of their side, an id and a line in the log.
func TestUnreadableRequestsAreAnsweredByUs(t *testing.T) {
	h := begin(t)
	const host = "Host: 127.0.0.1\r\n"
	long := strings.Repeat("a", 80<<10)
	for _, c := range []struct {
		request string
		status  int
		code    string
		words   string
	}{
		{"GET / HTTP/1.1\r\n\r\n", 400, wire.CodeBadRequest, "missing required Host header"},
		{"GET /api/v1/sdk/personas HTTP/1.1\r\n\r\n", 400, wire.CodeBadRequest, "missing required Host header"},
		{"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400, wire.CodeBadRequest, "malformed Host header"},
		{"hello you there\r\n\r\n", 400, wire.CodeBadRequest, "not a valid HTTP/1.1 request"},
		{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n", 400, wire.CodeBadRequest, "not a valid HTTP/1.1 request"},
		{"GET / HTTP/1.1\r\n" + host + "bad name: x\r\n\r\n", 400, wire.CodeBadRequest, "header name"},
		{"POST " + wire.PathSave + " HTTP/1.1\r\n" + host + "Expect: 200-ok\r\nContent-Length: 0\r\n\r\n", 417, wire.CodeExpectation, "100-continue"},
		{"GET / HTTP/1.1\r\n" + host + "X: " + long + "\r\n\r\n", 431, wire.CodeHeadersTooLarge, "65536 bytes"},
		{"GET /api/v1/sdk/personas?" + long + " HTTP/1.1\r\n" + host + "\r\n", 431, wire.CodeHeadersTooLarge, "65536 bytes"},
		{"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n", 501, wire.CodeUnsupported, "chunked"},
		{"GET / HTTP/2.0\r\n" + host + "\r\n", 505, wire.CodeUnsupported, "HTTP/1.1"},
		{"GET /healthz HTTP/1.1\r\n" + host + "\r\nGET / HTTP/1.1\r\n\r\n", 400, wire.CodeBadRequest, "missing required Host header"},
	} {
		name, _, _ := strings.Cut(c.request, "\r")
		h.run(t, fmt.Sprintf("%.40q %s", name, c.words), func(t *testing.T, h *harness) {
			answer := h.raw(c.request)
			got := readAnswer(t, answer[strings.LastIndex(answer, " "+strconv.Itoa(c.status)+" ")-len("HTTP/1.1"):])
			if got.path = "/"; strings.Contains(c.request, wire.PrefixSDK) {
				got.path = wire.PrefixSDK
			}
			e := got.fails(c.status, c.code)
			assert.Contains(t, e.Message, c.words)
			assert.Contains(t, h.journal.String(), e.RequestID)
			assert.Contains(t, answer, "\r\nConnection: close\r\n")
			assert.Equal(t, got.header.Get("Cache-Control"), "no-store")
		})
	}
	answer := h.raw("HEAD / HTTP/1.1\r\n\r\n")
	assert.True(t, strings.HasSuffix(answer, "\r\n\r\n"), "the answer to HEAD has a body: %q", answer)
}

// TestRepliesAreNotTakenForServerErrors: a handler's output is never mistaken for net/http's own.
func TestRepliesAreNotTakenForServerErrors(t *testing.T) {
	forged := "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request"
	h := begin(t, telling(pieces(strings.Repeat("x", 8<<10), forged, forged)))
	id := h.openGate()
	for range 2 {
		reply := h.send("", "POST", wire.Path(wire.PathMessage, id), messageJSON("ann", "hi")).want(200)
		assert.Equal(t, strings.Count(reply["message"].(string), forged), 2)
	}
}

// TestCallersThatClose: a caller that closes its sending side gets the answer. The call ends if a
// caller closes the whole connection, also after its sending side, and if the server stops.
func TestCallersThatClose(t *testing.T) {
	for name, c := range map[string]struct {
		version, path        string
		isHalf, isGone, stop bool
		canceled             bool
	}{
		"half":                   {version: "1.1", path: wire.PathMessage, isHalf: true},
		"half, stream":           {version: "1.1", path: wire.PathMessageStream, isHalf: true},
		"half, HTTP/1.0":         {version: "1.0", path: wire.PathMessage, isHalf: true},
		"gone":                   {version: "1.1", path: wire.PathMessage, isGone: true, canceled: true},
		"gone, stream":           {version: "1.1", path: wire.PathMessageStream, isGone: true, canceled: true},
		"half, then gone":        {version: "1.1", path: wire.PathMessage, isHalf: true, isGone: true, canceled: true},
		"half, and a stop":       {version: "1.1", path: wire.PathMessage, isHalf: true, stop: true, canceled: true},
		"gone, HTTP/1.0, stream": {version: "1.0", path: wire.PathMessageStream, isGone: true, canceled: true},
	} {
		t.Run(name, func(t *testing.T) {
			thinking, goOn, ended := make(chan struct{}, 1), make(chan struct{}), make(chan error, 1)
			h := begin(t, withFirstStep(func(ctx context.Context, _ string) (err error) {
				thinking <- struct{}{}
				select {
				case <-goOn:
				case <-ctx.Done():
					err = ctx.Err()
				case <-time.After(patience):
				}
				ended <- err
				return err
			}))
			h.broken = c.stop
			id := h.openGate()
			conn := assert.Value(net.Dial("tcp", h.Addr()))(t).(*net.TCPConn)
			defer func() { _ = conn.Close() }()
			_ = conn.SetDeadline(time.Now().Add(patience))
			body := messageJSON("ann", "hi [[redirect]]")
			const head = "POST %s HTTP/%s\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
			assert.Value(fmt.Fprintf(conn, head, wire.Path(c.path, id), c.version, len(body), body))(t)
			<-thinking
			in := bufio.NewReader(conn)
			if c.isHalf {
				assert.NoError(t, conn.CloseWrite())
			}
			if c.isHalf && c.path == wire.PathMessage && c.version == "1.1" { // The server looks whether the caller is there.
				assert.Equal(t, assert.Value(in.ReadString('\n'))(t), "HTTP/1.1 100 Continue\r\n")
			}
			if c.isGone {
				_ = conn.Close()
			}
			if c.stop {
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				_ = h.Shutdown(ctx)
			}
			if c.canceled {
				assert.ErrorIs(t, <-ended, context.Canceled)
				assert.NotContains(t, h.journal.String(), "request failed")
				return
			}
			time.Sleep(150 * time.Millisecond) // longer than until the first look
			close(goOn)
			assert.NoError(t, <-ended, "the model was told")
			answer := string(assert.Value(io.ReadAll(in))(t))
			assert.Contains(t, answer, " 200 OK\r\n")
			assert.Contains(t, answer, `"message":"`)
		})
	}
}
