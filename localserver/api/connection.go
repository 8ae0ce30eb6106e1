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

// Listener accepts connections as Conn.
type Listener struct {
	net.Listener
	// Answer returns the response to an unreadable request.
	Answer func(Unreadable) []byte
	// After is the clock; nil means time.After.
	After func(time.Duration) <-chan time.Time
	// until is when a listener closes at the latest that takes its last connections; nil
	// before Finish.
	until atomic.Pointer[time.Time]
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

// Conn is a connection that knows how far its request is.
type Conn struct {
	net.Conn
	answer func(Unreadable) []byte
	after  func(time.Duration) <-chan time.Time

	// writing is held while something is written, mu never longer than for a look.
	writing sync.Mutex
	mu      sync.Mutex
	// begin is the beginning of the request, as far as unreadable answers need it.
	begin []byte
	// handled means that a handler has the request; until then all output comes from net/http
	// itself. answered means that the answer has begun.
	handled, answered bool
	// isOld means that the caller speaks HTTP/1.0.
	isOld bool
	// expired means that the time for reading is over, closed that all is.
	expired, closed bool
	// changed is closed when one of the two changes; nil if nobody waits for it.
	changed chan struct{}
	// halfClosed is closed when the caller has closed his sending side.
	halfClosed chan struct{}
	halfOnce   sync.Once
}

// maxBegin is enough of a request to see its method and which side it asks.
const maxBegin = 256

// beginRequest reports that a handler has the request.
func (c *Conn) beginRequest(isOld bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handled, c.isOld = true, isOld
}

// endRequest reports that the connection waits for its next request.
func (c *Conn) endRequest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handled, c.answered, c.begin = false, false, nil
}

func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.noteBegin(p[:n])
	if n == 0 && isEnd(err) && len(p) == watchSize && c.isHandled() {
		return 0, c.awaitAnswer(err)
	}
	return n, err
}

func (c *Conn) noteBegin(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.handled {
		c.begin = append(c.begin, p[:min(len(p), maxBegin-len(c.begin))]...)
	}
}

func (c *Conn) isHandled() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.handled
}

// Write writes a handler's output unchanged. It replaces the output of net/http itself by the
// server's answer.
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

// noteWrite records the beginning of the answer; ok is true if the output does not come from a
// handler.
func (c *Conn) noteWrite(p []byte) (bad Unreadable, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.handled {
		c.answered = c.answered || !isInterim(p)
		return bad, false
	}
	bad, ok = parseRefusal(p)
	bad.readBegin(c.begin)
	return bad, ok
}

// SetReadDeadline is the connection's. A deadline that is over ends awaitAnswer, as it
// ends a read.
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

// tellChange wakes awaitAnswer. The caller holds the lock.
func (c *Conn) tellChange() {
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// CloseWrite closes the writing side, if the connection supports that: net/http does so before it
// closes a connection that still sends.
func (c *Conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

type connKey struct{}

// WithConn is an http.Server's ConnContext.
func WithConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

func connOf(ctx context.Context) *Conn {
	c, _ := ctx.Value(connKey{}).(*Conn)
	return c
}

// MarkHandled marks on each connection that its request has reached a handler. It must be the
// outermost handler.
func MarkHandled(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := connOf(r.Context()); c != nil {
			c.beginRequest(!r.ProtoAtLeast(1, 1))
		}
		next.ServeHTTP(w, r)
	})
}

// WatchState is an http.Server's ConnState.
func WatchState(conn net.Conn, state http.ConnState) {
	if c, ok := conn.(*Conn); ok && state == http.StateIdle {
		c.endRequest()
	}
}

// Unreadable is a request that no handler sees: net/http has refused it.
type Unreadable struct {
	// Status is the status that net/http has chosen.
	Status int
	// Reason is net/http's reason, such as "missing required Host header", or "".
	Reason string
	// Method, Path and Target (the path with its query) are those of the first line as far as it
	// was read; Target is "" if that is not a valid HTTP line.
	Method, Path, Target string
}

// readBegin parses the beginning of the request.
func (u *Unreadable) readBegin(begin []byte) {
	line, _, isWhole := strings.Cut(string(begin), "\r\n")
	method, rest, _ := strings.Cut(line, " ")
	target, version, _ := strings.Cut(rest, " ")
	u.Method = method
	u.Path, _, _ = strings.Cut(target, "?")
	if isWhole && strings.HasPrefix(version, "HTTP/") {
		u.Target = target
	}
}

const statusLine = "HTTP/1.1 "

// parseRefusal parses an answer that net/http writes itself in a single write: the status of its
// first line and a reason after a colon.
func parseRefusal(p []byte) (u Unreadable, ok bool) {
	line, _, ok := bytes.Cut(p, []byte("\r\n"))
	rest, isAnswer := strings.CutPrefix(string(line), statusLine)
	if !ok || !isAnswer {
		return u, false
	}
	code, text, _ := strings.Cut(rest, " ")
	status, err := strconv.Atoi(code)
	_, u.Reason, _ = strings.Cut(text, ": ")
	u.Status = status
	return u, err == nil && status >= 400
}

// watchSize is the size of net/http's reads while a handler works, which only serve to detect that
// the caller goes: nothing else in it reads a single byte.
const watchSize = 1

// LookDelays are the waits before each check whether a caller who has closed his sending side is
// still there. In TCP the end of his data looks the same whether he listens or has gone; only
// sending to him reveals it, and only the second time.
func LookDelays() []time.Duration {
	return []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, time.Second, 5 * time.Second}
}

// interim is an empty answer that every caller of HTTP/1.1 ignores (RFC 9110, section 15.2).
const interim = "HTTP/1.1 100 Continue\r\n\r\n"

// HalfClosed is closed when the caller has closed his sending side, even if he still listens. It is
// nil for a request from another listener, which never happens.
func HalfClosed(ctx context.Context) <-chan struct{} {
	if c := connOf(ctx); c != nil {
		return c.halfClosed
	}
	return nil
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) }

// awaitAnswer hides the end of the caller's data from net/http, which would abort the call, until
// the caller is found to have gone (end) or the answer is complete. A caller of HTTP/1.0 cannot get
// interim answers, and counts as gone after the last check.
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

// readState returns a channel that reports a change of the reading state, or the error that ended
// the reading.
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

// isGone sends an interim answer to the caller, as long as the answer has not begun: an error means
// that the caller has gone.
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
	case isOld:
		return isLast
	}
	_, err := io.WriteString(c.Conn, interim)
	return err != nil
}

// isInterim reports whether an answer comes before the one that counts.
func isInterim(p []byte) bool { return bytes.HasPrefix(p, []byte(statusLine+"1")) }

// silentGrace is the age from which a silent connection counts as idle: on a younger one a request
// may be in transit. heardGrace is the time until a received request reaches its handler.
const (
	silentGrace = 250 * time.Millisecond
	heardGrace  = 10 * time.Millisecond
)

// Silent tracks the connections without a request so far. Browsers open such connections ahead of
// time, and http.Server.Shutdown waits five seconds for each. A stop can close them, because
// nothing is being answered on them.
type Silent struct {
	mu    sync.Mutex
	conns map[net.Conn]time.Time // since when
	heard time.Time              // when the last one has said something
}

// WatchState is an http.Server's ConnState.
func (n *Silent) WatchState(conn net.Conn, state http.ConnState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if state != http.StateNew {
		if _, ok := n.conns[conn]; ok {
			delete(n.conns, conn)
			n.heard = time.Now()
		}
		return
	}
	if n.conns == nil {
		n.conns = map[net.Conn]time.Time{}
	}
	n.conns[conn] = time.Now()
}

// AwaitYoung waits until the newest connections have sent a request or been silent for a while.
// net/http drops a request that it reads after the beginning of a stop, so the stop must begin
// after this.
func (n *Silent) AwaitYoung(ctx context.Context) {
	for n.isYoung(time.Now()) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(heardGrace / 2):
		}
	}
}

func (n *Silent) isYoung(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, since := range n.conns {
		if now.Sub(since) < silentGrace {
			return true
		}
	}
	return now.Sub(n.heard) < heardGrace
}

// CloseAll closes them.
func (n *Silent) CloseAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for conn := range n.conns {
		// The connection is being dropped, so an error does not matter.
		_ = conn.Close()
	}
}

// A listener that ends closes when no connection has come for lastWait, and after lastPatience
// although they come.
const (
	lastWait     = 500 * time.Microsecond
	lastPatience = time.Second
)

// Finish makes the listener accept the remaining connections from the system's queue and then
// close, because the system drops those that are left. Accept then returns net.ErrClosed.
func (l *Listener) Finish() error {
	bounded, ok := l.Listener.(deadliner)
	if !ok {
		return l.Close()
	}
	until := time.Now().Add(lastPatience)
	l.until.Store(&until)
	return bounded.SetDeadline(time.Now()) // It wakes who waits in Accept.
}

// deadliner is a listener with a deadline for Accept, like that of TCP.
type deadliner interface{ SetDeadline(time.Time) error }

// acceptPlain waits for the next connection, without wrapping it.
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

// acceptLast returns one more connection if it is there, else it closes the listener.
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
