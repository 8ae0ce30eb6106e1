package localserver

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// hangingRelay is a relay to a database. While it hangs, it does not forward any data.
type hangingRelay struct {
	net.Listener
	to     string
	moving sync.RWMutex // held while it hangs
	ended  sync.WaitGroup
}

// newHangingRelay starts a relay to the PostgreSQL of a folder and returns the address through it.
func newHangingRelay(t *testing.T, address string) (r *hangingRelay, through string) {
	t.Helper()
	listener := assert.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	before, rest, _ := strings.Cut(address, "host=")
	folder, rest, _ := strings.Cut(rest, "&")
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	r = &hangingRelay{Listener: listener, to: folder + "/.s.PGSQL.5432"}
	r.ended.Go(r.acceptAll)
	return r, before + "host=127.0.0.1&port=" + port + "&" + rest
}

func (r *hangingRelay) acceptAll() {
	for {
		caller, err := r.Accept()
		if err != nil {
			return
		}
		database, err := net.Dial("unix", r.to)
		if err != nil {
			_ = caller.Close()
			continue
		}
		r.ended.Go(func() { r.move(caller, database) })
		r.ended.Go(func() { r.move(database, caller) })
	}
}

func (r *hangingRelay) move(from, to net.Conn) {
	_, _ = io.Copy(hangingWriter{to, r}, from)
	_, _ = from.Close(), to.Close()
}

type hangingWriter struct {
	io.Writer
	relay *hangingRelay
}

func (w hangingWriter) Write(p []byte) (int, error) {
	w.relay.moving.RLock()
	defer w.relay.moving.RUnlock()
	return w.Writer.Write(p)
}

// TestReadinessWithAHungDatabase: a database that accepts connections and does not answer is
// reported within two seconds, and one that recovers is ready again.
func TestReadinessWithAHungDatabase(t *testing.T) {
	t.Parallel()
	own, address := storetest.Start(t)
	relay, through := newHangingRelay(t, address)
	t.Cleanup(func() {
		_ = relay.Close()
		assert.NoError(t, own.Stop())
		relay.ended.Wait()
	})
	h := begin(t, func(o *Options) { o.Database.Address = through })
	h.send("", "GET", "/readyz", "").want(http.StatusOK)
	relay.moving.Lock()
	for range 2 {
		begun := time.Now()
		e := h.send("", "GET", "/readyz", "").fails(http.StatusServiceUnavailable, wire.CodeUnavailable)
		took := time.Since(begun)
		assert.True(t, took <= 5*time.Second && strings.Contains(e.Message, "the database does not answer"), "%s after %s", e.Message, took)
	}
	relay.moving.Unlock()
	h.send("", "GET", "/readyz", "").want(http.StatusOK)
}

// TestLeaving: a server that is about to stop reports that it is not ready, and answers everything
// else; kept connections end with their next answer.
func TestLeaving(t *testing.T) {
	h := begin(t)
	h.send("", "GET", "/readyz", "").want(http.StatusOK)
	h.Leave()
	assert.Contains(t, h.send("", "GET", "/readyz", "").fails(http.StatusServiceUnavailable, wire.CodeUnavailable).Message, "will stop soon")
	h.send("", "GET", "/healthz", "").want(http.StatusOK)
	answer := assert.Value(h.client.Get(h.URL() + wire.PathPersonas))(t)
	defer answer.Body.Close()
	assert.True(t, answer.StatusCode == http.StatusOK && answer.Close,
		"status %d, the connection ends: %v", answer.StatusCode, answer.Close)
}

// TestStopHearsNewConnections: a stop waits for a request on a new connection, but not on a
// connection that has been silent for longer.
func TestStopHearsNewConnections(t *testing.T) {
	h := begin(t)
	connect := func() net.Conn {
		c := assert.Value(net.Dial("tcp", h.Addr()))(t)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	connect()
	time.Sleep(300 * time.Millisecond)
	young := connect()
	time.Sleep(20 * time.Millisecond) // until it is taken
	begun, stopped := time.Now(), make(chan error, 1)
	go func() { stopped <- h.Shutdown(t.Context()) }()
	<-h.Done()
	assert.Value(io.WriteString(young, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))(t)
	answer, err := io.ReadAll(young)
	assert.True(t, err == nil && strings.HasPrefix(string(answer), "HTTP/1.1 200"), "%q, %v", answer, err)
	if err := <-stopped; err != nil || time.Since(begun) > 3*time.Second {
		t.Errorf("the stop: %v after %s", err, time.Since(begun))
	}
}

// TestStopsLoseNoCalls stops servers while callers connect to them for each call: a call on an
// established connection is answered. The system may drop single connections that arrive just when
// the listener closes; without Finish and AwaitYoung there are several at each stop.
func TestStopsLoseNoCalls(t *testing.T) {
	const stops, most = 6, 6
	var lost atomic.Int64
	for range stops {
		h := begin(t)
		var callers sync.WaitGroup
		for range 16 {
			callers.Go(func() { lost.Add(h.callUntilClosed()) })
		}
		time.Sleep(100 * time.Millisecond)
		assert.NoError(t, h.Close())
		callers.Wait()
	}
	n := lost.Load()
	assert.True(t, n <= most, "%d calls were lost at %d stops", n, stops)
}

// callUntilClosed calls the server, each time on a new connection, until the server does not accept
// connections any more. It counts the calls without an answer.
func (h *harness) callUntilClosed() (lost int64) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		answer, err := client.Get(h.URL() + "/healthz")
		if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "dial" {
			return lost
		}
		if err != nil {
			lost++
			continue
		}
		_ = answer.Body.Close()
	}
}
