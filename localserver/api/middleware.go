package api

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/localserver/identity"
	"github.com/parley-npc/parley/personas/wire"
)

// A Stack configures the middleware of a server.
type Stack struct {
	Proxies identity.TrustedProxies
	Hosts   Hosts
	// Origin returns the scheme and host of the server, as seen by the client.
	Origin    func(*http.Request) string
	Origins   Origins
	Telemetry *Telemetry
	Log       *slog.Logger
	Now       func() time.Time
	// Metadata returns the URL of the token metadata (RFC 9728) for an origin. It may be nil.
	Metadata func(origin string) string
	// NoPage handles requests for unknown play links.
	NoPage http.HandlerFunc
}

// Wrap returns a handler that checks and logs requests before mux serves them.
func (s *Stack) Wrap(mux *http.ServeMux) http.Handler {
	return s.identifyRequest(s.logRequest(s.recoverPanic(s.checkSite(s.routeRequest(mux)))))
}

func (s *Stack) identifyRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info := identity.RequestInfo{
			ID: newRequestID(), Address: s.Proxies.CallerAddress(r), Forwarded: identity.IsForwarded(r),
		}
		if s.Metadata != nil {
			info.ResourceMetadata = func() string { return s.Metadata(s.Origin(r)) }
		}
		w.Header()[wire.HeaderRequestID] = []string{info.ID}
		next.ServeHTTP(w, r.WithContext(identity.WithRequestInfo(r.Context(), info)))
	})
}

type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	limit  PieceLimit
}

func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 && status >= http.StatusOK { // 1xx responses come first
		rec.status = status
	}
	rec.ResponseWriter.WriteHeader(status)
}

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

func (rec *recorder) limitPiece() {
	_ = rec.limit.Extend(rec.ResponseWriter) // fails for connections of tests
}

// A PieceLimit contains the write timeouts of a large response. Piece limits each write, Whole
// limits all writes together. 0 means the default.
type PieceLimit struct {
	Piece, Whole time.Duration
	end          time.Time // zero before the first piece
}

// Extend sets the write deadline for the next piece.
func (l *PieceLimit) Extend(w http.ResponseWriter) error {
	now := time.Now()
	if l.end.IsZero() {
		l.end = now.Add(cmp.Or(l.Whole, answerTimeout))
	}
	until := now.Add(cmp.Or(l.Piece, pieceTimeout))
	if until.After(l.end) {
		until = l.end
	}
	return http.NewResponseController(w).SetWriteDeadline(until)
}

// Unwrap implements the interface of http.ResponseController.
func (rec *recorder) Unwrap() http.ResponseWriter { return rec.ResponseWriter }

// logRequest logs the route pattern instead of the path, because a path may contain ids. It never
// logs the query, the headers or the body.
func (s *Stack) logRequest(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec, started := &recorder{ResponseWriter: w}, s.Now()
		s.Telemetry.InFlight.Inc()
		defer func() {
			_, pattern, _ := strings.Cut(r.Pattern, " ")
			duration := s.Now().Sub(started)
			s.Telemetry.InFlight.Dec()
			s.Telemetry.CountRequest(methodName(r), pattern, rec.status, duration)
			s.logAnswer(r.Context(), methodName(r), pattern, rec.status, duration, rec.bytes)
		}()
		next.ServeHTTP(rec, r)
	})
}

func (s *Stack) logAnswer(ctx context.Context, method, route string, status int, duration time.Duration, size int64) {
	attrs := []slog.Attr{
		slog.String("method", method), slog.String("route", route), slog.Int("status", status),
		slog.Duration("duration", duration), slog.Int64("bytes", size), slog.String("request_id", identity.RequestID(ctx)),
	}
	if code := identity.Refusal(ctx); code != "" {
		attrs = append(attrs, slog.String("code", code))
	}
	s.Log.LogAttrs(ctx, slog.LevelInfo, "request", attrs...)
}

func methodName(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return r.Method
	}
	return "other"
}

// recoverPanic closes the connection after a partial response. The client then notices the missing
// part.
func (s *Stack) recoverPanic(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			panicked := recover()
			if panicked == nil {
				return
			}
			if !isAbort(panicked) {
				s.Log.LogAttrs(r.Context(), slog.LevelError, "panic",
					slog.String("request_id", identity.RequestID(r.Context())),
					slog.String("panic", fmt.Sprint(panicked)),
					slog.String("stack", string(debug.Stack())))
			}
			if rec, ok := w.(*recorder); isAbort(panicked) || ok && rec.status != 0 {
				panic(http.ErrAbortHandler)
			}
			Write(w, r, Internal(nil))
		}()
		next.ServeHTTP(w, r)
	})
}

// checkSite rejects DNS rebinding by the Host header. It rejects forms and beacons of other sites
// by Sec-Fetch-Site or Origin.
func (s *Stack) checkSite(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setSafeHeaders(w.Header())
		if !s.Hosts.isAllowed(r.Host) {
			Write(w, r, forbidden("this server does not accept the name in the Host header"))
			return
		}
		if s.Origins.allowPage(w, r) {
			return
		}
		if s.Origins.protection.Check(r) != nil {
			Write(w, r, forbidden("this server does not accept requests from pages of other sites"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func forbidden(message string) *Error {
	return NewError(http.StatusForbidden, wire.CodeForbidden, message)
}

func setSafeHeaders(h http.Header) {
	// The slices share one allocation. With capacity 1, an append copies its slice.
	values := [...]string{"nosniff", "no-store"}
	h["X-Content-Type-Options"], h["Cache-Control"] = values[0:1:1], values[1:2:2]
}

func (s *Stack) routeRequest(mux *http.ServeMux) http.Handler {
	mux.HandleFunc(anything, func(w http.ResponseWriter, r *http.Request) {
		r.Pattern = "" // for the log
		if isPlayLink(r) {
			s.NoPage(w, r)
			return
		}
		Write(w, r, explainNoRoute(mux, w, r))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case IsClean(r.URL.Path):
			mux.ServeHTTP(w, r)
		case isPlayLink(r):
			s.NoPage(w, r)
		default:
			// The mux would redirect and turn a POST into a GET.
			Write(w, r, NoSuchPath())
		}
	})
}

const anything = "/"

var probedMethods = [...]string{
	http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodPatch, http.MethodPost, http.MethodPut,
}

func explainNoRoute(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) *Error {
	var allowed []string
	for _, method := range probedMethods {
		probe := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := mux.Handler(probe); pattern != anything {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) == 0 {
		return NoSuchPath()
	}
	allow := strings.Join(allowed, ", ")
	w.Header().Set("Allow", allow)
	return NewError(http.StatusMethodNotAllowed, wire.CodeMethod, "this path supports only "+allow)
}

// IsClean reports whether p begins with / and contains no empty, . or .. segments. A final slash is
// allowed.
func IsClean(p string) bool {
	cleaned := path.Clean(p)
	return strings.HasPrefix(p, "/") && (p == cleaned || p == cleaned+"/")
}

func isAbort(panicked any) bool {
	err, ok := panicked.(error)
	return ok && errors.Is(err, http.ErrAbortHandler)
}

// MaxHeader is the maximum length of the request line and the headers together, in bytes.
const MaxHeader = 64 << 10

var rejections = map[int]struct{ code, sentence string }{
	http.StatusBadRequest:        {wire.CodeBadRequest, "this is not a valid HTTP/1.1 request"},
	http.StatusExpectationFailed: {wire.CodeExpectation, "the header Expect must be 100-continue"},
	http.StatusRequestHeaderFieldsTooLarge: {
		wire.CodeHeadersTooLarge, fmt.Sprintf("the address and the headers are longer than %d bytes", MaxHeader),
	},
	http.StatusNotImplemented: {
		wire.CodeUnsupported, "a Transfer-Encoding other than chunked is not supported",
	},
	http.StatusHTTPVersionNotSupported: {wire.CodeUnsupported, "this server supports only HTTP/1.1"},
}

// AnswerUnreadable returns the response to a request that net/http rejected with refusal. begin is
// the beginning of the request. The response has a request id and appears in the log.
func (s *Stack) AnswerUnreadable(refusal, begin []byte) []byte {
	status, reason := http.StatusBadRequest, ""
	if parsed, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(refusal)), nil); err == nil {
		_ = parsed.Body.Close() // an in-memory body
		status = parsed.StatusCode
		_, reason, _ = strings.Cut(parsed.Status, ": ")
	}
	rejection, ok := rejections[status]
	if !ok {
		rejection = rejections[http.StatusBadRequest]
	}
	message := rejection.sentence
	if reason != "" {
		message += ": " + reason
	}
	ctx := identity.WithRequestInfo(context.Background(), identity.RequestInfo{ID: newRequestID()})
	method, rest, _ := strings.Cut(string(begin), " ")
	target, _, _ := strings.Cut(rest, " ")
	body := EncodeJSON(NewError(status, rejection.code, message).Answer(ctx, target))
	r := &http.Request{Method: method}
	s.Telemetry.CountRequest(methodName(r), "", status, 0)
	s.logAnswer(ctx, methodName(r), "", status, 0, int64(len(body)))
	answer := &http.Response{
		Request: r, StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Close: true,
		Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}
	answer.Header.Set("Date", s.Now().UTC().Format(http.TimeFormat))
	answer.Header.Set("Content-Type", ContentJSON)
	answer.Header.Set(wire.HeaderRequestID, identity.RequestID(ctx))
	setSafeHeaders(answer.Header)
	var text bytes.Buffer
	_ = answer.Write(&text)
	return text.Bytes()
}

func newRequestID() string { return uuid.Must(uuid.NewV7()).String() }

func isPlayLink(r *http.Request) bool {
	const play = "/play"
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	return reads && (r.URL.Path == play || strings.HasPrefix(r.URL.Path, play+"/"))
}
