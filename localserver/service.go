package localserver

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/parley-npc/parley/localserver/draft"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// service is what the handlers stand on.
type service struct {
	store    *store.Store
	play     *play.Service
	verifier identity.Verifier
	// signIn says where tokens come from; its provider is nil unless it is ours.
	signIn   signIn
	chatAuth ChatAuth
	// playURL is what play links begin with, without a final slash.
	playURL string
	hosts   hosts
	log     *slog.Logger
	now     func() time.Time
	version string
	gate    *gate
	// drafter writes personas; nil where the server has no model of its own.
	drafter *draft.Drafter
}

// handler is the whole server as one http.Handler.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	s.mount(mux)
	s.servePages(mux)
	s.serveSignIn(mux)
	mux.HandleFunc("GET /{$}", s.about)
	mux.HandleFunc("GET /healthz", s.healthy)
	mux.HandleFunc("GET /readyz", s.ready)
	mux.HandleFunc("GET /metrics", s.serveMetrics)
	return s.front(mux)
}

// about says to whoever opens the address in a browser what this is.
func (s *service) about(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{
		"service": "parley local server", "version": s.version, "interface": wire.Prefix,
	})
}

// healthy says that the process answers.
func (s *service) healthy(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok"})
}

// ready says that the database answers too.
func (s *service) ready(w http.ResponseWriter, r *http.Request) {
	if err := s.store.Ping(r.Context()); err != nil {
		f := refuse(http.StatusServiceUnavailable, wire.CodeInternal, "the database does not answer")
		f.cause = err
		writeFailure(w, r, s.fail(r.Context(), f))
		return
	}
	writeJSON(w, http.StatusOK, map[string]string{"status": "ready"})
}
