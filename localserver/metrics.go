package localserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/parley-npc/parley/localserver/api"
)

// Time limits for connections to the separate address of /metrics.
const (
	metricsReadTimeout  = 10 * time.Second
	metricsWriteTimeout = 30 * time.Second
)

const metricsPath = "/metrics"

// ErrMetricsAddress means that the server cannot listen on Options.MetricsListen.
var ErrMetricsAddress = errors.New("metrics")

// serveMetrics serves /metrics on a separate address. It needs no authentication, so the address
// should be in a private network.
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
	if r.URL.Path != metricsPath || r.Method != http.MethodGet && r.Method != http.MethodHead {
		api.Write(w, r, api.NoSuchPath())
		return
	}
	w.Header().Set("Content-Type", api.ContentType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	s.telemetry.WriteMetrics(w)
}

// MetricsURL returns the URL of /metrics on the separate address, for use on this machine. Without
// a separate address it returns "".
func (s *Server) MetricsURL() string {
	if s.metricsAddress == "" {
		return ""
	}
	return "http://" + reachableAddress(s.metricsAddress) + metricsPath
}
