package localserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// holdModel returns a model that waits in its evaluation, and reports how the waiting ended.
func holdModel() (change func(*Options), thinking chan struct{}, goOn chan struct{}, ended chan error) {
	thinking, goOn, ended = make(chan struct{}, 1), make(chan struct{}), make(chan error, 1)
	return withFirstStep(func(ctx context.Context, _ string) error {
		thinking <- struct{}{}
		select {
		case <-goOn:
			ended <- nil
			return nil
		case <-ctx.Done():
			ended <- ctx.Err()
			return ctx.Err()
		case <-time.After(patience):
			return errors.New("nobody ends it")
		}
	}), thinking, goOn, ended
}

// postBare sends a POST of version 1.1 or 1.0 over a new connection.
func (h *harness) postBare(version, path, body string) *net.TCPConn {
	h.Helper()
	conn := assert.Value(net.Dial("tcp", h.Addr()))(h)
	h.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	assert.Value(fmt.Fprintf(conn, "POST %s HTTP/%s\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, version, len(body), body))(h)
	return conn.(*net.TCPConn)
}

func (h *harness) sayHalfClosed(version, path string, thinking <-chan struct{}) *net.TCPConn {
	h.Helper()
	conn := h.postBare(version, path, messageJSON("ann", "hi [[redirect]]"))
	<-thinking
	assert.NoError(h, conn.CloseWrite())
	return conn
}

// TestHalfClosedCallerGetsHisAnswer: a caller that closes its sending side gets the answer.
func TestHalfClosedCallerGetsHisAnswer(t *testing.T) {
	for _, path := range []string{wire.PathMessage, wire.PathMessageStream} {
		t.Run(path, func(t *testing.T) {
			change, thinking, goOn, ended := holdModel()
			h := begin(t, change)
			id := h.openGate()
			conn := h.sayHalfClosed("1.1", wire.Path(path, id), thinking)
			in := bufio.NewReader(conn)
			first, err := in.ReadString('\n') // The server looks whether the caller is there.
			if err != nil || !strings.HasPrefix(first, "HTTP/1.1 100 ") && path == wire.PathMessage {
				t.Fatalf("%q %v", first, err)
			}
			close(goOn)
			assert.NoError(t, <-ended, "the model was told")
			answer := assert.Value(io.ReadAll(in))(t)
			assert.Contains(t, first+string(answer), "HTTP/1.1 200 OK\r\n")
			assert.Contains(t, string(answer), `"message":"State your business."`)
		})
	}
}

// soon is the time limit for an answer without an interim answer: the check is after 100 ms.
const soon = 90 * time.Millisecond

// TestQuickAnswerToAHalfClosedCaller: a quick answer is not preceded by an interim answer.
func TestQuickAnswerToAHalfClosedCaller(t *testing.T) {
	h := begin(t)
	id := h.publishPersona()
	for _, version := range []string{"1.1", "1.0"} {
		for quick, asked := 0, 0; quick < 20 && asked < 500; asked++ {
			began := time.Now()
			conn := h.postBare(version, wire.Path(wire.PathInitSession, id), initJSON("ann"))
			assert.NoError(t, conn.CloseWrite())
			answer, err := io.ReadAll(conn)
			if time.Since(began) > soon && err == nil {
				continue
			}
			if quick++; err != nil || !strings.HasPrefix(string(answer), "HTTP/"+version+" 200 OK\r\n") {
				t.Fatalf("HTTP/%s: %v %s", version, err, answer)
			}
		}
	}
}

// TestClosedConnectionEndsCall: if a caller closes the connection, the call ends.
func TestClosedConnectionEndsCall(t *testing.T) {
	for _, path := range []string{wire.PathMessage, wire.PathMessageStream} {
		t.Run(path, func(t *testing.T) {
			change, thinking, _, ended := holdModel()
			h := begin(t, change)
			id := h.openGate()
			conn := h.sayHalfClosed("1.1", wire.Path(path, id), thinking)
			_ = conn.Close()
			assert.ErrorIs(t, <-ended, context.Canceled)
			assert.Equal(t, h.messages(id), 1, "messages are kept")
			assert.NotContains(t, h.journal.String(), "request failed", "it counts as an error: %s", h.journal)
		})
	}
}

// TestOldCallerCountsAsGone: a half-closed caller of HTTP/1.0 counts as gone after the last check.
func TestOldCallerCountsAsGone(t *testing.T) {
	change, thinking, _, ended := holdModel()
	looks := make(chan time.Time)
	h := begin(t, change, func(o *Options) { o.after = func(time.Duration) <-chan time.Time { return looks } })
	id := h.openGate()
	h.sayHalfClosed("1.0", wire.Path(wire.PathMessage, id), thinking)
	for range 4 {
		select {
		case err := <-ended:
			t.Fatalf("too soon: %v", err)
		case looks <- time.Time{}:
		case <-time.After(patience):
			t.Fatal("nobody looks")
		}
	}
	assert.ErrorIs(t, <-ended, context.Canceled)
}

// TestStopWithAHalfClosedCaller: a stop ends the call of a caller who still listens.
func TestStopWithAHalfClosedCaller(t *testing.T) {
	change, thinking, _, ended := holdModel()
	h := begin(t, change)
	h.broken = true
	id := h.openGate()
	h.sayHalfClosed("1.1", wire.Path(wire.PathMessage, id), thinking)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = h.Shutdown(ctx)
	assert.ErrorIs(t, <-ended, context.Canceled)
}
