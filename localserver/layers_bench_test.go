package localserver

import (
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/api"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
)

// sink is a response writer that discards the answer.
type sink struct{ header http.Header }

func (s *sink) Header() http.Header         { return s.header }
func (s *sink) Write(p []byte) (int, error) { return len(p), nil }
func (s *sink) WriteHeader(int)             {}

// BenchmarkChain measures the cost of a request before and after its handler: id, log line,
// metrics, panics, Host and Origin, CORS, finding the route, rate limit, idempotency key and
// faults, compared with the handler alone. It excludes costs that depend on the request (a token, a
// body).
func BenchmarkChain(b *testing.B) {
	// A clock that runs so fast that nothing is refused; it costs what a real one does.
	var ticks time.Duration
	fast := func() time.Time {
		ticks += time.Second
		return time.Now().Add(ticks)
	}
	origins, err := api.NewOrigins([]string{"https://game.example"})
	assert.NoError(b, err)
	counts := api.NewTelemetry("test", time.Now)
	log := slog.New(slog.NewJSONHandler(io.Discard, nil))
	checks := api.NewChecker(api.Options{RateLimit: true, Faults: []api.FaultRule{{Status: 503, Path: "/sdk"}}, Telemetry: counts, Now: fast})
	layers := api.Stack{Hosts: api.NewHosts(), Origins: origins, Telemetry: counts, Log: log, Now: fast}
	row := &api.Route{Path: wire.PathPersona, Access: api.Optional, Limit: api.LimitGeneral, Idempotent: true}
	handler := func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"status":"ok"}`) }
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+row.Path, func(w http.ResponseWriter, r *http.Request) {
		if _, err := checks.Admit(row, w, r); err != nil {
			api.Write(w, r, api.ForCaller(r.Context(), log, err))
			return
		}
		handler(w, r)
	})
	r, err := http.NewRequest(http.MethodGet, "http://127.0.0.1:8787"+wire.Path(row.Path, "0190"), nil)
	assert.NoError(b, err)
	r.RemoteAddr = "127.0.0.1:4711"
	r.Header.Set("User-Agent", "benchmark")
	for name, h := range map[string]http.Handler{"bare": http.HandlerFunc(handler), "mux": plain(row.Path, handler), "chain": layers.Wrap(mux)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(&sink{http.Header{}}, r)
			}
		})
	}
}

func plain(path string, handler http.HandlerFunc) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+path, handler)
	return mux
}
