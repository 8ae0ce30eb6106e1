package localserver

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/personas/assert"
)

// cracked is a listener that panics, as anything outside of a request could.
type cracked struct{ net.Listener }

func (cracked) Accept() (net.Conn, error) { panic("outside of a request") }
func (cracked) Close() error              { return nil }

// A panic outside of requests ends the server with the reason; the program continues and can
// restore its terminal.
func TestPanicOutsideOfRequestsEndsTheServer(t *testing.T) {
	var logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, nil))
	s := &Server{done: make(chan struct{}), models: &models.Set{}}
	s.serveRequests(t.Context(), &api.Listener{Listener: cracked{}}, http.NotFoundHandler(), log)
	select {
	case <-s.Done():
	case <-time.After(patience):
		t.Fatal("the server goes on")
	}
	assert.ErrorContains(t, s.Err(), "the server failed: outside of a request")
	assert.Contains(t, logged.String(), "panic_test.go", "the log has no stack")
}

func TestWithoutPanicLeavesErrorsAlone(t *testing.T) {
	want := errors.New("as it was")
	assert.ErrorIs(t, withoutPanic(slog.New(slog.DiscardHandler), func() error { return want }), want)
}
