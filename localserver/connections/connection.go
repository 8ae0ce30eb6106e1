// Package connections is a layer between net/http and the sockets. The server provides the answers
// that net/http would write itself, before any handler; a caller who has closed his sending side
// but still listens gets his answer; and connections without a request are closed at a stop. It
// never decides the content of an answer.
package connections

import (
	"context"
	"net"
	"net/http"
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

// MarkHandled tells the connections which of their requests have reached a handler. It must be the
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
