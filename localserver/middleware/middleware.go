// Package middleware handles every request before its route, and every answer after it: the id, the
// log line, panics, the checks of Host and Origin, and the answer for unknown paths. It never looks
// into bodies.
package middleware

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/parley-npc/parley/localserver/apierror"
	"github.com/parley-npc/parley/localserver/request"
	"github.com/parley-npc/parley/localserver/telemetry"
	"github.com/parley-npc/parley/personas/wire"
)

// Stack is the layers around the routes of a server.
type Stack struct {
	Proxies request.TrustedProxies
	Hosts   Hosts
	// Origin is the scheme and host at which a caller reaches the server.
	Origin    func(*http.Request) string
	Origins   Origins
	Telemetry *telemetry.Telemetry
	Log       *slog.Logger
	Now       func() time.Time
	// Metadata returns the address at which a caller at an origin can read which tokens are
	// accepted (RFC 9728); it may be nil.
	Metadata func(origin string) string
	// NoPage answers requests for an unknown play link.
	NoPage http.HandlerFunc
}

// Wrap puts the layers around the routes.
func (s *Stack) Wrap(mux *http.ServeMux) http.Handler {
	return s.identifyRequest(s.logRequest(s.recoverPanic(checkVersion(s.checkSite(s.routeRequest(mux))))))
}

// checkVersion refuses versions of HTTP that do not exist, such as 1.2. net/http takes every
// one that begins with 1, and answers others itself.
func checkVersion(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 1 && r.ProtoMinor > 1 {
			setSafeHeaders(w.Header())
			w.Header().Set("Connection", "close")
			as := unreadable[http.StatusHTTPVersionNotSupported]
			apierror.Write(w, r, apierror.New(http.StatusHTTPVersionNotSupported, as.code, as.sentence))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// identifyRequest assigns an id to the request, and records its address.
func (s *Stack) identifyRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info := request.Info{ID: newRequestID(), Address: s.Proxies.CallerAddress(r), Forwarded: request.IsForwarded(r)}
		if s.Metadata != nil {
			info.ResourceMetadata = func() string { return s.Metadata(s.Origin(r)) }
		}
		w.Header()[wire.HeaderRequestID] = []string{info.ID}
		next.ServeHTTP(w, r.WithContext(request.WithInfo(r.Context(), info)))
	})
}

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	end    time.Time // when all of a large answer must be taken; zero before its first piece
}

func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 && status >= http.StatusOK { // 102 comes before the answer
		rec.status = status
	}
	rec.ResponseWriter.WriteHeader(status)
}

// Large answers are written in pieces. The caller must receive each piece within pieceTimeout, and
// all of them within answerTimeout.
const (
	pieceBytes    = 256 << 10
	pieceTimeout  = 30 * time.Second
	answerTimeout = 10 * time.Minute
)

func (rec *recorder) Write(p []byte) (n int, err error) {
	if rec.status == 0 {
		rec.status = http.StatusOK
	}
	for len(p) > pieceBytes && err == nil {
		var wrote int
		rec.limitPiece()
		wrote, err = rec.ResponseWriter.Write(p[:pieceBytes])
		n, p = n+wrote, p[wrote:]
	}
	if err == nil {
		var wrote int
		if n > 0 {
			rec.limitPiece()
		}
		wrote, err = rec.ResponseWriter.Write(p)
		n += wrote
	}
	rec.bytes += int64(n)
	return n, err
}

// limitPiece reports until when the next piece must be taken. A connection that knows no
// deadlines is a test's.
func (rec *recorder) limitPiece() {
	now := time.Now()
	if rec.end.IsZero() {
		rec.end = now.Add(answerTimeout)
	}
	until := now.Add(pieceTimeout)
	if until.After(rec.end) {
		until = rec.end
	}
	_ = http.NewResponseController(rec.ResponseWriter).SetWriteDeadline(until)
}

// Unwrap lets http.ResponseController reach the connection.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// logRequest writes one line per request: the route's pattern and never the path,
// which may hold ids, nor query, headers or body; of a refusal the code that it has in
// the answer.
func (s *Stack) logRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec, begun := &recorder{ResponseWriter: w}, s.Now()
		s.Telemetry.InFlight.Inc()
		defer func() {
			_, pattern, _ := strings.Cut(r.Pattern, " ")
			took := s.Now().Sub(begun)
			s.Telemetry.InFlight.Dec()
			s.Telemetry.CountRequest(methodName(r), pattern, rec.status, took)
			s.logAnswer(r.Context(), methodName(r), pattern, rec.status, took, rec.bytes)
		}()
		next.ServeHTTP(rec, r)
	})
}

func (s *Stack) logAnswer(ctx context.Context, method, route string, status int, took time.Duration, size int64) {
	attrs := []slog.Attr{
		slog.String("method", method), slog.String("route", route), slog.Int("status", status),
		slog.Duration("duration", took), slog.Int64("bytes", size), slog.String("request_id", request.ID(ctx)),
	}
	if code := request.Refusal(ctx); code != "" {
		attrs = append(attrs, slog.String("code", code))
	}
	s.Log.LogAttrs(ctx, slog.LevelInfo, "request", attrs...)
}

// methodName returns the request's method if it is one of HTTP's, because callers can send any
// text.
func methodName(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	}
	return "other"
}

// recoverPanic turns a panic into a 500. An answer that has begun is cut instead, so that callers
// do not mistake half of it for the whole.
func (s *Stack) recoverPanic(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			panicked := recover()
			if panicked == nil {
				return
			}
			if !isAbort(panicked) {
				s.Log.LogAttrs(r.Context(), slog.LevelError, "panic", slog.String("request_id", request.ID(r.Context())),
					slog.String("panic", fmt.Sprint(panicked)), slog.String("stack", string(debug.Stack())))
			}
			if rec, ok := w.(*recorder); isAbort(panicked) || ok && rec.status != 0 {
				panic(http.ErrAbortHandler)
			}
			apierror.Write(w, r, apierror.Internal(nil))
		}()
		next.ServeHTTP(w, r)
	})
}

// checkSite keeps other web sites out. A page that has pointed its own name at this
// machine (DNS rebinding) shows by its Host, one that sends a form or a beacon
// across by the browser's Sec-Fetch-Site or Origin.
func (s *Stack) checkSite(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setSafeHeaders(w.Header())
		if r.Host == "" && !s.Hosts.isAllowed(r.Host) { // possible with HTTP/1.0
			apierror.Write(w, r, apierror.BadRequest(noHost))
			return
		}
		if !s.Hosts.isAllowed(r.Host) {
			apierror.Write(w, r, apierror.New(http.StatusForbidden, wire.CodeForbidden, "this server does not answer to the name in the Host header"))
			return
		}
		if s.Origins.allowPage(w, r) {
			return
		}
		if s.Origins.protection.Check(r) != nil {
			apierror.Write(w, r, apierror.New(http.StatusForbidden, wire.CodeForbidden, "this server takes no requests from pages of other sites"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// setSafeHeaders sets the headers of every answer besides its request id. Both values are parts of
// one array, which costs one allocation; their capacity ends with them, so that appending a value
// does not overwrite the other.
func setSafeHeaders(h http.Header) {
	values := [...]string{"nosniff", "no-store"}
	h["X-Content-Type-Options"], h["Cache-Control"] = values[0:1:1], values[1:2:2]
}

// routeRequest passes a request to its route. Without one it answers in our format, with Allow if
// only the method is wrong, and with a page for play links.
func (s *Stack) routeRequest(mux *http.ServeMux) http.Handler {
	mux.HandleFunc(anything, func(w http.ResponseWriter, r *http.Request) {
		r.Pattern = "" // No route of ours has answered.
		if isPlayLink(r) {
			s.NoPage(w, r)
			return
		}
		apierror.Write(w, r, explainNoRoute(mux, w, r))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case IsClean(r.URL.Path):
			mux.ServeHTTP(w, r)
		case isPlayLink(r):
			s.NoPage(w, r)
		case r.URL.Path == "*" && r.Method == http.MethodOptions: // It asks after the server as a whole.
			w.Header().Set("Allow", "DELETE, GET, HEAD, OPTIONS, POST")
			w.WriteHeader(http.StatusNoContent)
		default:
			// The mux would redirect, which turns a POST into a GET.
			apierror.Write(w, r, apierror.NoSuchPath())
		}
	})
}

// anything is the pattern for all paths without a route.
const anything = "/"

// explainNoRoute finds out whether the path or the method is wrong.
func explainNoRoute(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) *apierror.Error {
	var allowed []string
	for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodPatch, http.MethodPost, http.MethodPut} {
		probe := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := mux.Handler(probe); pattern != anything {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		return apierror.NoSuchPath()
	}
	allow := strings.Join(allowed, ", ")
	w.Header().Set("Allow", allow)
	return apierror.New(http.StatusMethodNotAllowed, wire.CodeMethod, "this path takes only "+allow)
}

// IsClean reports whether a path is written as the routes are.
func IsClean(p string) bool {
	cleaned := path.Clean(p)
	return strings.HasPrefix(p, "/") && (p == cleaned || p == cleaned+"/")
}

// isAbort reports whether a handler breaks the connection off on purpose.
func isAbort(panicked any) bool {
	err, ok := panicked.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}
