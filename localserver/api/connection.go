package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Listener wraps each accepted connection in a Conn. It tracks connections without a request, so
// that a stopping server can close them. Browsers open such connections in advance, and
// http.Server.Shutdown would wait five seconds for them.
type Listener struct {
	net.Listener
	// Answer returns the answer to a request that net/http rejected.
	Answer func(Unreadable) []byte
	// After returns a timer. Nil means time.After.
	After func(time.Duration) <-chan time.Time
	// until is the time at which the listener closes at the latest. It is nil until Finish is
	// called.
	until atomic.Pointer[time.Time]

	mu     sync.Mutex
	unused map[net.Conn]time.Time // time of connecting
	heard  time.Time              // when a request was last received on one of them
}

// Accept waits for the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	plain, err := l.acceptPlain()
	if err != nil {
		return nil, err
	}
	c := &Conn{Conn: plain, answer: l.Answer, after: l.After, halfClosed: make(chan struct{})}
	if c.after == nil {
		c.after = time.After
	}
	return c, nil
}

// WatchState tracks the requests on a connection. It is for the field ConnState of an http.Server.
func (l *Listener) WatchState(conn net.Conn, state http.ConnState) {
	if c, ok := conn.(*Conn); ok && state == http.StateIdle { // between two requests
		c.mu.Lock()
		c.handled, c.answered, c.begin = false, false, nil
		c.mu.Unlock()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if state == http.StateNew {
		if l.unused == nil {
			l.unused = map[net.Conn]time.Time{}
		}
		l.unused[conn] = time.Now()
		return
	}
	if _, ok := l.unused[conn]; ok {
		delete(l.unused, conn)
		l.heard = time.Now()
	}
}

// A Conn is a connection that tracks the progress of its current request.
type Conn struct {
	net.Conn
	answer func(Unreadable) []byte
	after  func(time.Duration) <-chan time.Time

	// writing is locked during writes. mu guards the fields below. mu is never locked while the
	// connection is read or written.
	writing sync.Mutex
	mu      sync.Mutex
	// begin is the beginning of the request, at most maxBegin bytes. It is parsed into an
	// Unreadable.
	begin []byte
	// handled means that a handler runs for the request. Output before that comes from net/http
	// itself. answered means that the answer has begun.
	handled, answered bool
	isOld             bool
	// expired means that the read deadline has passed. closed means that the connection was closed.
	expired, closed bool
	// changed is closed when expired or closed changes. It is nil if nobody waits for a change.
	changed chan struct{}
	// halfClosed is closed when the caller has closed its sending side.
	halfClosed chan struct{}
	halfOnce   sync.Once
}

// maxBegin is the size of Conn.begin in bytes, enough for the method and the beginning of the path.
const maxBegin = 256

func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	handled := c.handled
	if !handled {
		c.begin = append(c.begin, p[:min(n, maxBegin-len(c.begin))]...)
	}
	c.mu.Unlock()
	if n == 0 && errors.Is(err, io.EOF) && len(p) == watchSize && handled {
		return 0, c.awaitAnswer(err)
	}
	return n, err
}

// Write writes the output of a handler unchanged. If net/http itself writes an error answer, Write
// writes the server's answer instead.
func (c *Conn) Write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	bad, ok := c.noteWrite(p)
	if !ok {
		return c.Conn.Write(p)
	}
	if _, err := c.Conn.Write(c.answer(bad)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// noteWrite records that the answer has begun. If p is an error answer of net/http itself,
// noteWrite returns the rejected request and true.
func (c *Conn) noteWrite(p []byte) (bad Unreadable, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handled {
		c.answered = c.answered || !bytes.HasPrefix(p, []byte(statusLine+"1"))
		return bad, false
	}
	return parseRefusal(p, c.begin)
}

// SetReadDeadline sets the connection's read deadline. A deadline in the past ends both a read and
// awaitAnswer.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	c.expired = !t.IsZero() && !t.After(time.Now())
	c.tellChange()
	c.mu.Unlock()
	return c.Conn.SetReadDeadline(t)
}

// Close closes the connection.
func (c *Conn) Close() error {
	c.mu.Lock()
	c.closed = true
	c.tellChange()
	c.mu.Unlock()
	return c.Conn.Close()
}

// tellChange wakes awaitAnswer. c.mu must be locked.
func (c *Conn) tellChange() {
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// CloseWrite closes the writing side, if the connection supports that. net/http calls it before it
// closes a connection on which the caller may still be sending.
func (c *Conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

type connKey struct{}

// WithConn stores the connection in a context. It is for the field ConnContext of an http.Server.
func WithConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

func connOf(ctx context.Context) *Conn {
	c, _ := ctx.Value(connKey{}).(*Conn)
	return c
}

// MarkHandled records on the connection that a handler has received the request. MarkHandled must
// be the outermost handler.
func MarkHandled(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := connOf(r.Context()); c != nil {
			c.mu.Lock()
			c.handled, c.isOld = true, !r.ProtoAtLeast(1, 1)
			c.mu.Unlock()
		}
		next.ServeHTTP(w, r)
	})
}

// Unreadable describes a request that net/http rejected before any handler ran.
type Unreadable struct {
	// Status is the status that net/http has chosen.
	Status int
	// Reason is net/http's reason, such as "missing required Host header", or "".
	Reason string
	// Method, Path and Target come from the first line, which may be incomplete. Target is the path
	// with its query. It is "" if the line is incomplete or not a valid HTTP request line.
	Method, Path, Target string
}

const statusLine = "HTTP/1.1 "

// parseRefusal parses an error answer of net/http itself. begin is the beginning of the rejected request.
func parseRefusal(p, begin []byte) (u Unreadable, ok bool) {
	line, _, ok := bytes.Cut(p, []byte("\r\n"))
	rest, isAnswer := strings.CutPrefix(string(line), statusLine)
	code, text, _ := strings.Cut(rest, " ")
	status, err := strconv.Atoi(code)
	if !ok || !isAnswer || err != nil || status < 400 {
		return u, false
	}
	u.Status = status
	_, u.Reason, _ = strings.Cut(text, ": ")
	request, _, isWhole := strings.Cut(string(begin), "\r\n")
	method, rest, _ := strings.Cut(request, " ")
	target, version, _ := strings.Cut(rest, " ")
	u.Method = method
	u.Path, _, _ = strings.Cut(target, "?")
	if isWhole && strings.HasPrefix(version, "HTTP/") {
		u.Target = target
	}
	return u, true
}

// watchSize is the size of the reads by which net/http detects that the caller has disconnected
// while a handler runs. No other read of net/http has this size.
const watchSize = 1

// LookDelays returns the delays before the checks of a caller that has closed its sending side.
// Each check sends something, to find out whether the caller still receives. Sending to a
// disconnected caller fails only on the second attempt.
func LookDelays() []time.Duration {
	return []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, time.Second, 5 * time.Second}
}

// interim is an interim answer, which every HTTP/1.1 client ignores (RFC 9110, section 15.2).
const interim = "HTTP/1.1 100 Continue\r\n\r\n"

// HalfClosed returns a channel that is closed when the caller has closed its sending side, even if
// the caller still receives. It returns nil if the connection was not accepted by a Listener.
func HalfClosed(ctx context.Context) <-chan struct{} {
	if c := connOf(ctx); c != nil {
		return c.halfClosed
	}
	return nil
}

// awaitAnswer blocks after a caller has closed its sending side, because net/http would abort the
// call at the EOF. It returns end, the EOF, after the caller has disconnected, and another error
// after the answer is complete.
func (c *Conn) awaitAnswer(end error) error {
	c.halfOnce.Do(func() { close(c.halfClosed) })
	looks := LookDelays()
	for {
		changed, err := c.readState()
		if err != nil {
			return err
		}
		var look <-chan time.Time
		if len(looks) > 0 {
			look = c.after(looks[0])
		}
		select {
		case <-changed:
			continue
		case <-look:
		}
		looks = slices.Delete(looks, 0, 1)
		if c.isGone(len(looks) == 0) {
			return end
		}
	}
}

// readState returns an error if a read must end now. Otherwise it returns a channel that is closed
// when c.expired or c.closed changes.
func (c *Conn) readState() (changed <-chan struct{}, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		return nil, io.EOF
	case c.expired:
		return nil, os.ErrDeadlineExceeded
	}
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.changed, nil
}

// isGone sends an interim answer if the answer has not begun, and reports whether sending failed.
// HTTP/1.0 has no interim answers, so isGone then returns true only in the last check.
func (c *Conn) isGone(isLast bool) bool {
	if !c.writing.TryLock() {
		return false // The answer is being written.
	}
	defer c.writing.Unlock()
	c.mu.Lock()
	answered, isOld := c.answered, c.isOld
	c.mu.Unlock()
	switch {
	case answered:
		return false
	case isOld: // HTTP/1.0 has no interim answers.
		return isLast
	}
	_, err := io.WriteString(c.Conn, interim)
	return err != nil
}

const (
	// silentGrace is the age at which a connection without a request counts as idle. On a younger
	// connection, a request may be in transit.
	silentGrace = 250 * time.Millisecond
	// heardGrace is the time in which a received request reaches its handler even on a busy
	// machine. With 10 ms, some requests were lost when the server stopped.
	heardGrace = 50 * time.Millisecond
)

// AwaitYoung waits until each connection has either sent a request or is older than silentGrace.
// Call AwaitYoung before http.Server.Shutdown, because net/http drops requests that it reads
// afterwards.
func (l *Listener) AwaitYoung(ctx context.Context) {
	for l.isYoung(time.Now()) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(heardGrace / 2):
		}
	}
}

func (l *Listener) isYoung(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, since := range l.unused {
		if now.Sub(since) < silentGrace {
			return true
		}
	}
	return now.Sub(l.heard) < heardGrace
}

// CloseUnused closes the connections on which no request was received.
func (l *Listener) CloseUnused() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.unused {
		// An error does not matter, because the connection is unused.
		_ = conn.Close()
	}
}

// After Finish, a listener closes if no connection arrives for lastWait, and in any case after
// lastPatience.
const (
	lastWait     = 500 * time.Microsecond
	lastPatience = time.Second
)

// Finish makes the listener accept the connections in the system's queue, and then close. Close
// would drop these connections. After that, Accept returns net.ErrClosed.
func (l *Listener) Finish() error {
	bounded, ok := l.Listener.(deadliner)
	if !ok {
		return l.Close()
	}
	until := time.Now().Add(lastPatience)
	l.until.Store(&until)
	return bounded.SetDeadline(time.Now()) // It ends a running call of Accept.
}

type deadliner interface{ SetDeadline(time.Time) error }

func (l *Listener) acceptPlain() (net.Conn, error) {
	if until := l.until.Load(); until != nil {
		return l.acceptLast(*until)
	}
	plain, err := l.Listener.Accept()
	if until := l.until.Load(); err != nil && until != nil {
		return l.acceptLast(*until)
	}
	return plain, err
}

// acceptLast accepts a connection from the system's queue. If the queue is empty, or the time until
// has passed, acceptLast closes the listener.
func (l *Listener) acceptLast(until time.Time) (net.Conn, error) {
	if bounded := l.Listener.(deadliner); time.Now().Before(until) && bounded.SetDeadline(time.Now().Add(lastWait)) == nil {
		if plain, err := l.Listener.Accept(); err == nil {
			return plain, nil
		}
	}
	if err := l.Close(); err != nil {
		return nil, err
	}
	return nil, net.ErrClosed
}
