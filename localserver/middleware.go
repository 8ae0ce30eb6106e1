package localserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path"
	"runtime/debug"
	"strings"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/personas/loopback"
	"github.com/parley-npc/parley/personas/wire"
)

// front is everything that a request passes before it reaches its route.
func (s *service) front(mux *http.ServeMux) http.Handler {
	return s.identify(s.observe(s.rescue(s.guard(s.find(mux)))))
}

type requestIDKey struct{}

func requestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// identify gives the request its id, and notes whether it comes from this machine.
// A caller's own id is not taken over: it would be text from outside in our log.
func (s *service) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := uuid.Must(uuid.NewV7()).String()
		w.Header().Set(wire.HeaderRequestID, id)
		ctx := context.WithValue(r.Context(), requestIDKey{}, id)
		ctx = context.WithValue(ctx, nearKey{}, s.gate.proxies.address(r).IsLoopback())
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 {
		rec.status = status
	}
	rec.ResponseWriter.WriteHeader(status)
}

func (rec *recorder) Write(p []byte) (int, error) {
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	n, err := rec.ResponseWriter.Write(p)
	rec.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// observe writes one line per request: the route's pattern and never the path,
// which may hold ids, nor query, headers or body.
func (s *service) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec, begun := &recorder{ResponseWriter: w}, s.now()
		s.gate.telemetry.inFlight.Inc()
		defer func() {
			_, pattern, _ := strings.Cut(r.Pattern, " ")
			took := s.now().Sub(begun)
			s.gate.telemetry.inFlight.Dec()
			s.gate.telemetry.request(method(r), pattern, rec.status, took)
			s.log.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("method", method(r)), slog.String("route", pattern),
				slog.Int("status", rec.status), slog.Duration("duration", took),
				slog.Int64("bytes", rec.bytes), slog.String("request_id", requestID(r.Context())))
		}()
		next.ServeHTTP(rec, r)
	})
}

// method is the request's method where it is one of HTTP's; any text can stand
// there.
func method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	}
	return "other"
}

// rescue turns a panic into a 500. An answer that has begun is cut instead, so
// that nobody takes half of it for the whole.
func (s *service) rescue(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			panicked := recover()
			if panicked == nil {
				return
			}
			if !isAbort(panicked) {
				s.log.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("request_id", requestID(r.Context())),
					slog.String("panic", fmt.Sprint(panicked)), slog.String("stack", string(debug.Stack())))
			}
			if rec, ok := w.(*recorder); isAbort(panicked) || ok && rec.status != 0 {
				panic(http.ErrAbortHandler)
			}
			writeFailure(w, r, internal(nil))
		}()
		next.ServeHTTP(w, r)
	})
}

// guard keeps other web sites out. A page that has pointed its own name at this
// machine (DNS rebinding) shows by its Host, one that sends a form or a beacon
// across by the browser's Sec-Fetch-Site or Origin.
func (s *service) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		if !s.hosts.allow(r.Host) {
			writeFailure(w, r, refuse(http.StatusForbidden, wire.CodeForbidden, "this server does not answer to the name in the Host header"))
			return
		}
		if s.gate.origins.share(w, r) {
			return
		}
		if s.gate.origins.strangers.Check(r) != nil {
			writeFailure(w, r, refuse(http.StatusForbidden, wire.CodeForbidden, "this server takes no requests from pages of other sites"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hosts are the names in Host headers that a server answers to, beside loopback
// ones.
type hosts map[string]bool

func newHosts(names ...string) hosts {
	h := hosts{}
	for _, name := range names {
		h[hostName(name)] = true
	}
	return h
}

func (h hosts) allow(host string) bool {
	name := hostName(host)
	ip := net.ParseIP(name)
	return h[name] || loopback.IsHost(name) || ip != nil && h.everywhere()
}

// everywhere says that the server listens on all addresses of the machine. Then
// any number may stand in Host: only a name can be pointed here by somebody else.
func (h hosts) everywhere() bool { return h[""] || h["0.0.0.0"] || h["::"] }

// hostName is a Host header without port, brackets, final dot and capitals.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// find hands a request to its route; where there is none it says so in our own
// shape, and with Allow where only the method is wrong.
func (s *service) find(mux *http.ServeMux) http.Handler {
	mux.HandleFunc(anything, func(w http.ResponseWriter, r *http.Request) {
		r.Pattern = "" // No route of ours has answered.
		writeFailure(w, r, unmatched(mux, w, r))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !clean(r.URL.Path) {
			// The mux would redirect, which turns a POST into a GET.
			writeFailure(w, r, noSuchPath())
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// anything is the pattern of what has no route.
const anything = "/"

func noSuchPath() *failure {
	return refuse(http.StatusNotFound, wire.CodeNotFound, "there is no such path")
}

// unmatched finds out whether the path or the method is wrong.
func unmatched(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) *failure {
	var allowed []string
	for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodPatch, http.MethodPost, http.MethodPut} {
		probe := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := mux.Handler(probe); pattern != anything {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		return noSuchPath()
	}
	allow := strings.Join(allowed, ", ")
	w.Header().Set("Allow", allow)
	return refuse(http.StatusMethodNotAllowed, wire.CodeBadRequest, "this path takes only "+allow)
}

func clean(p string) bool {
	cleaned := path.Clean(p)
	return strings.HasPrefix(p, "/") && (p == cleaned || p == cleaned+"/")
}

// isAbort tells a handler that breaks the connection off on purpose.
func isAbort(panicked any) bool {
	err, ok := panicked.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}
