package localserver

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/parley-npc/parley/localserver/telemetry"
)

// listenForMetrics answers /metrics, and nothing else, at an address of its own: whoever
// collects the numbers of several nodes is on another machine. An empty address is none.
func (s *Server) listenForMetrics(ctx context.Context, address string, log *slog.Logger) error {
	if address == "" {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("address %q for metrics: %w", address, err)
	}
	s.metricsAddress = listener.Addr().String()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", s.writeMetrics)
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	s.onStop(func() error { return ignoreClosed(server.Close()) })
	go func() {
		// It ends with the server, which closes it; there is nobody to tell.
		_ = withoutPanic(log, func() error { return server.Serve(listener) })
	}()
	return nil
}

func (s *Server) writeMetrics(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", telemetry.ContentType)
	s.telemetry.WriteMetrics(w)
}

// MetricsURL is where Options.MetricsListen answers; "" where it was not asked for.
func (s *Server) MetricsURL() string {
	if s.metricsAddress == "" {
		return ""
	}
	return "http://" + reachableAddress(s.metricsAddress) + "/metrics"
}
