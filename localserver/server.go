// Package localserver implements a server of the persona chat service. It starts and stops the
// server, and handles the endpoints in routes.go. Package api checks requests. Package identity
// verifies tokens. Package play runs conversations. Package store stores data. Package models opens
// language models.
//
// The package never prints, never reads the environment, and never logs callers' input.
package localserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/localserver/models"
	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/playtest"
)

// Limits of connections. A longer --llm-timeout extends writeTimeout.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 60 * time.Second
	writeTimeout      = 10 * time.Minute
	idleTimeout       = 2 * time.Minute
	maxHeader         = api.MaxHeader
	closeTimeout      = 5 * time.Second
	refusalTimeout    = 3 * time.Second
)

// Server is a running server. Its methods are safe for concurrent use.
type Server struct {
	http           *http.Server
	listener       *trackedListener
	checks         *api.Checker
	telemetry      *api.Telemetry
	models         *models.Set
	player         *play.Service
	dir            string
	address        string
	metricsAddress string
	empty          bool
	signIn         atomic.Pointer[identity.SignIn]
	cancel         context.CancelFunc
	done           chan struct{}
	leaving        atomic.Bool
	// cause is the fatal error. It is set before done is closed.
	cause    error
	undo     []func() error
	stopping sync.Once
	stopErr  error
}

func (s *Server) serveRequests(ctx context.Context, listener *trackedListener, handler http.Handler, log *slog.Logger) {
	base, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel, s.listener = cancel, listener
	s.http = &http.Server{
		Handler: handler, BaseContext: func(net.Listener) context.Context { return base },
		ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, IdleTimeout: idleTimeout,
		WriteTimeout: max(writeTimeout, s.TurnLimit()+time.Minute), MaxHeaderBytes: maxHeader,
		DisableGeneralOptionsHandler: true, ConnContext: withConn, ConnState: listener.watchState,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	go func() {
		defer close(s.done)
		err := withoutPanic(log, func() error { return s.http.Serve(listener) })
		if !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			s.cause = err
		}
	}()
}

// Addr returns the host and port of the listener.
func (s *Server) Addr() string { return s.address }

// URL returns the base URL for this machine, without a final slash.
func (s *Server) URL() string { return "http://" + reachableAddress(s.address) }

// Dir returns the path of the data folder.
func (s *Server) Dir() string { return s.dir }

// Empty reports whether the database contained no persona at the start.
func (s *Server) Empty() bool { return s.empty }

// OpenConversations returns the newest 50 unfinished conversations with a persona. Each
// conversation has at most 200 turns. ownerID must be the persona's owner.
func (s *Server) OpenConversations(ctx context.Context, personaID, ownerID string) ([]playtest.Conversation, error) {
	return s.player.OpenConversations(ctx, personaID, ownerID)
}

// User returns the e-mail address in the sign-in file, or "" without the development provider.
func (s *Server) User() string {
	if signIn := s.signIn.Load(); signIn != nil {
		return signIn.User
	}
	return ""
}

// Token returns the bearer token in the sign-in file, or "" without the development provider.
func (s *Server) Token() string {
	if signIn := s.signIn.Load(); signIn != nil {
		return signIn.Token
	}
	return ""
}

// Recording returns the state of the recording. It is zero without a recording.
func (s *Server) Recording() models.Recording { return s.models.Recording() }

// Done returns a channel that is closed when the server stops or fails.
func (s *Server) Done() <-chan struct{} { return s.done }

// Err returns the fatal error of the server. It is nil while the server runs and after Shutdown.
func (s *Server) Err() error {
	select {
	case <-s.done:
		return s.cause
	default:
		return nil
	}
}

// Leave announces the stop of the server. Then /readyz returns 503, and load balancers send no more
// requests. The server still answers requests, but closes each connection afterwards.
func (s *Server) Leave() { s.leaving.Store(true) }

func (s *Server) closeKept(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.leaving.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// Shutdown waits for the requests in progress, and closes the store. If ctx ends first, it aborts
// the requests and returns the error of ctx. Aborted requests get an error response.
func (s *Server) Shutdown(ctx context.Context) error {
	s.stopping.Do(func() { s.stopErr = errors.Join(s.stopServing(ctx), s.undoAll()) })
	return s.stopErr
}

func (s *Server) stopServing(ctx context.Context) error {
	s.Leave()
	s.http.RegisterOnShutdown(s.checks.Stop)
	s.http.RegisterOnShutdown(s.listener.closeUnused)
	err := ignoreClosed(s.listener.finish())
	select {
	case <-s.done:
	case <-ctx.Done():
	}
	s.listener.awaitYoung(ctx)
	late := s.http.Shutdown(ctx)
	s.cancel()
	if late == nil {
		return err
	}
	answering, cancel := context.WithTimeout(context.Background(), refusalTimeout)
	defer cancel()
	_ = s.http.Shutdown(answering)
	return errors.Join(err, late, s.http.Close())
}

func (s *Server) onStop(undo func() error) { s.undo = append(s.undo, undo) }

func (s *Server) undoAll() error {
	var errs []error
	for _, undo := range slices.Backward(s.undo) {
		errs = append(errs, undo())
	}
	s.undo = nil
	return errors.Join(errs...)
}

// Close calls Shutdown with a timeout of five seconds.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	return s.Shutdown(ctx)
}

const (
	metricsReadTimeout  = 10 * time.Second
	metricsWriteTimeout = 30 * time.Second
)

const metricsPath = "/metrics"

// ErrMetricsAddress means that Options.MetricsListen cannot be used.
var ErrMetricsAddress = errors.New("metrics")

func (s *Server) serveMetrics(ctx context.Context, address string, log *slog.Logger) error {
	if address == "" {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrMetricsAddress, err)
	}
	s.metricsAddress = listener.Addr().String()
	server := &http.Server{
		Handler: http.HandlerFunc(s.answerMetrics), ReadTimeout: metricsReadTimeout, WriteTimeout: metricsWriteTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := withoutPanic(log, func() error { return server.Serve(listener) }); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the server for /metrics has stopped", slog.Any("error", err))
		}
	}()
	s.onStop(func() error {
		defer func() { <-ended }()
		return server.Close()
	})
	return nil
}

func (s *Server) answerMetrics(w http.ResponseWriter, r *http.Request) {
	isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
	if r.URL.Path != metricsPath || !isRead {
		api.Write(w, r, api.NoSuchPath())
		return
	}
	w.Header().Set("Content-Type", api.ContentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	s.telemetry.WriteMetrics(w)
}

// MetricsURL returns the URL of Options.MetricsListen for this machine, or "".
func (s *Server) MetricsURL() string {
	if s.metricsAddress == "" {
		return ""
	}
	return "http://" + reachableAddress(s.metricsAddress) + metricsPath
}

const idleInterval = time.Hour

func (s *Server) inBackground(work func(ctx context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { work(ctx) })
	s.onStop(func() error {
		cancel()
		running.Wait()
		return nil
	})
}

func repeat(ctx context.Context, interval time.Duration, work func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			work()
		}
	}
}

func (s *Server) deleteIdle(database *store.Store, options *Options) {
	keep, log, now := options.KeepSessions, options.Log, options.Now
	s.inBackground(func(ctx context.Context) {
		work := func() { deleteIdleOnce(ctx, database, log, now().Add(-keep)) }
		work()
		repeat(ctx, idleInterval, work)
	})
}

func deleteIdleOnce(ctx context.Context, database *store.Store, log *slog.Logger, since time.Time) {
	total := 0
	for more := true; more && ctx.Err() == nil; {
		deleted, hasMore, err := database.DeleteIdle(ctx, since)
		total, more = total+deleted, hasMore && err == nil
		if err != nil && ctx.Err() == nil {
			log.Error("idle sessions could not be deleted", slog.Any("error", err))
		}
	}
	if total > 0 {
		log.Info("deleted players with idle sessions", slog.Int("players", total))
	}
}

const lookInterval = time.Second

func (s *Server) watchDatabase(database *store.Store, log *slog.Logger) {
	lost := false
	look := func() {
		err := store.CheckKept(database)
		switch {
		case err != nil && !lost:
			log.Error("the database is unavailable: nothing can be stored", slog.Any("error", err))
		case err == nil && lost:
			log.Info("the database is available again")
		}
		lost = err != nil
	}
	s.inBackground(func(ctx context.Context) { repeat(ctx, lookInterval, look) })
}
