// Package localserver serves the interface of the persona chat service on this machine: it starts
// and stops the server, and its handlers interpret requests. The endpoints are in routes.go; the
// checks before a handler runs are in localserver/api. Calls are executed by
// localserver/play, stored by localserver/store, spoken by localserver/models, and callers are
// identified by localserver/identity. It never prints, never reads the environment, and never logs
// callers' input.
package localserver

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/replay"
)

// Time limits of connections. An answer may take as long as a slow model, for which
// writeTimeout is extended where --llm-timeout asks for it; the rest keeps stuck peers from
// holding connections.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 60 * time.Second
	writeTimeout      = 10 * time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeader         = api.MaxHeader
	closeTimeout      = 5 * time.Second
	// refusalPatience is the time for the answers of aborted calls to reach their callers at a
	// stop.
	refusalPatience = 3 * time.Second
)

// Server is a running server. Its methods are safe for concurrent use.
type Server struct {
	http      *http.Server
	listener  *api.Listener
	silent    api.Silent
	checks    *api.Checker
	telemetry *api.Telemetry
	models    *models.Set
	player    *play.Service
	folder    *datafolder.Folder
	address   string
	// metricsAddress is the bound address of Options.MetricsListen; "" if it is not set.
	metricsAddress string
	// empty means that the store did not contain any personas when the server started.
	empty bool
	// signIn is the content of the sign-in file.
	signIn atomic.Pointer[SignIn]
	// cancel ends what is still being answered.
	cancel context.CancelFunc
	done   chan struct{}
	// leaving means that the server is about to stop.
	leaving atomic.Bool
	// cause is why the server ended on its own; it is set before done is closed.
	cause error
	// undo takes back what Start did, the last first.
	undo []func() error
	// stopping lets the first call of Shutdown work and the others wait for it.
	stopping sync.Once
	stopErr  error
}

// serveRequests answers requests from now on.
func (s *Server) serveRequests(ctx context.Context, listener *api.Listener, handler http.Handler, log *slog.Logger) {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel, s.listener = cancel, listener
	s.http = &http.Server{
		Handler: handler, BaseContext: func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: max(writeTimeout, s.TurnLimit()+time.Minute),
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, DisableGeneralOptionsHandler: true,
		ConnContext: api.WithConn, ConnState: s.watchConnection, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	go func() {
		defer close(s.done)
		err := withoutPanic(log, func() error { return s.http.Serve(listener) })
		if !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			s.cause = err
		}
	}()
}

// watchConnection is called for each change of a connection's state.
func (s *Server) watchConnection(conn net.Conn, state http.ConnState) {
	api.WatchState(conn, state)
	s.silent.WatchState(conn, state)
}

// Addr is the address that the server listens on, as host and port.
func (s *Server) Addr() string { return s.address }

// URL is the server's base address for this machine, without a final slash.
func (s *Server) URL() string { return "http://" + reachableAddress(s.address) }

// Dir is the data folder, even if it is a temporary one.
func (s *Server) Dir() string { return s.folder.Dir }

// Empty reports whether the database had no persona when the server started.
func (s *Server) Empty() bool { return s.empty }

// OpenConversations returns the conversations with a persona that have not ended, for the user with an
// id, who must be its owner: the newest 50, each with its first 200 turns at most.
func (s *Server) OpenConversations(ctx context.Context, personaID, ownerID string) ([]replay.Conversation, error) {
	return s.player.OpenConversations(ctx, personaID, ownerID)
}

// User is the e-mail address of this machine's user, whom the sign-in file is
// for; "" when tokens come from elsewhere.
func (s *Server) User() string {
	if in := s.signIn.Load(); in != nil {
		return in.User
	}
	return ""
}

// Token is a bearer token of User for this server, the one of the sign-in file;
// "" when tokens come from elsewhere.
func (s *Server) Token() string {
	if in := s.signIn.Load(); in != nil {
		return in.Token
	}
	return ""
}

// Recording returns the state of the recording that the server makes or plays; the zero Recording
// without one.
func (s *Server) Recording() Recording { return s.models.Recording() }

// Done is closed when the server accepts no more requests, because of a stop or a fatal error.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err returns the reason why the server cannot continue; nil while it runs and after a requested
// stop.
func (s *Server) Err() error {
	select {
	case <-s.done:
		return s.cause
	default:
		return nil
	}
}

// Leave announces that the server is about to stop, while it still answers everything: /readyz is
// 503 from now on, so that it gets no more calls from a balancer, and callers are asked to close
// kept connections.
func (s *Server) Leave() { s.leaving.Store(true) }

// closeKept ends with the next answer each connection that a caller keeps to a server that
// is about to stop.
func (s *Server) closeKept(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.leaving.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// Shutdown stops accepting requests, finishes those in progress, and closes the store. If ctx ends
// first, it aborts the remaining requests and notifies their callers; the store is still closed in
// order, and the error is ctx's.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stopping.Do(func() { s.stopErr = errors.Join(s.stopServing(ctx), s.undoAll()) })
	return s.stopErr
}

// stopServing accepts no more requests and returns when the received ones are answered.
func (s *Server) stopServing(ctx context.Context) error {
	s.Leave()
	s.http.RegisterOnShutdown(s.checks.Stop)
	s.http.RegisterOnShutdown(s.silent.CloseAll)
	err := s.stopListening(ctx)
	s.silent.AwaitYoung(ctx)
	late := s.http.Shutdown(ctx)
	s.cancel()
	if late == nil {
		return err
	}
	s.awaitRefusals()
	return errors.Join(err, late, s.http.Close())
}

// stopListening accepts the waiting connections and no more.
func (s *Server) stopListening(ctx context.Context) error {
	err := s.listener.Finish()
	select {
	case <-s.done:
	case <-ctx.Done():
	}
	return ignoreClosed(err)
}

// awaitRefusals waits, for a moment, until the calls that were broken off are answered.
func (s *Server) awaitRefusals() {
	ctx, cancel := context.WithTimeout(context.Background(), refusalPatience)
	defer cancel()
	_ = s.http.Shutdown(ctx) // The remaining connections are closed.
}

// onStop remembers how to take back what was just done.
func (s *Server) onStop(undo func() error) { s.undo = append(s.undo, undo) }

func (s *Server) undoAll() error {
	var errs []error
	for _, undo := range slices.Backward(s.undo) {
		errs = append(errs, undo())
	}
	s.undo = nil
	return errors.Join(errs...)
}

// Close is Shutdown with a limit of a few seconds.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	return s.Shutdown(ctx)
}
