package localserver

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// conn is a connection of an http.Server. It replaces net/http's responses to malformed requests.
// It also delivers the response to a caller that has closed its sending side.
type conn struct {
	net.Conn
	answer func(refusal, begin []byte) []byte

	writing           sync.Mutex // acquired before mu
	mu                sync.Mutex
	begin             []byte // of the request
	handled, answered bool
	isHTTP10          bool
	ended             chan struct{} // contains an element if reading must end
	halfClosed        chan struct{} // closed at the end of the caller's sending side
	closeOnce         sync.Once
}

const (
	maxBegin = 256
	// net/http reads watchSize bytes to detect a disconnect while a handler runs. No other read has
	// this size.
	watchSize = 1
	interim   = "HTTP/1.1 100 Continue\r\n\r\n"
)

func newConn(plain net.Conn, answer func(refusal, begin []byte) []byte) *conn {
	return &conn{Conn: plain, answer: answer, ended: make(chan struct{}, 1), halfClosed: make(chan struct{})}
}

func (c *conn) Read(p []byte) (int, error) {
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

func (c *conn) Write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	isInterim := bytes.HasPrefix(p, []byte("HTTP/1.1 1"))
	c.answered = c.answered || c.handled && !isInterim
	isRefusal := !c.handled && bytes.HasPrefix(p, []byte("HTTP/1.1 "))
	c.mu.Unlock()
	if !isRefusal {
		return c.Conn.Write(p)
	}
	if _, err := c.Conn.Write(c.answer(p, c.begin)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// SetReadDeadline sets the read deadline. A deadline in the past ends awaitAnswer.
func (c *conn) SetReadDeadline(t time.Time) error {
	select {
	case <-c.ended:
	default:
	}
	if !t.IsZero() && !t.After(time.Now()) {
		c.endReading()
	}
	return c.Conn.SetReadDeadline(t)
}

func (c *conn) Close() error {
	c.endReading()
	return c.Conn.Close()
}

func (c *conn) endReading() {
	select {
	case c.ended <- struct{}{}:
	default:
	}
}

// CloseWrite closes the sending side. net/http calls CloseWrite before Close if the caller may
// still be sending.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// awaitAnswer delays an EOF until the response is complete, because net/http aborts a handler at an
// EOF. It sends interim responses to detect a disconnected caller. Only the second write to a
// disconnected caller fails.
func (c *conn) awaitAnswer(end error) error {
	c.closeOnce.Do(func() { close(c.halfClosed) })
	looks := []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, time.Second, 5 * time.Second}
	for {
		var look <-chan time.Time
		if len(looks) > 0 {
			look = time.After(looks[0])
		}
		select {
		case <-c.ended:
			return os.ErrDeadlineExceeded
		case <-look:
		}
		if looks = looks[1:]; c.isGone(len(looks) == 0) {
			return end
		}
	}
}

func (c *conn) isGone(isLast bool) bool {
	if !c.writing.TryLock() {
		return false
	}
	defer c.writing.Unlock()
	c.mu.Lock()
	answered, isHTTP10 := c.answered, c.isHTTP10
	c.mu.Unlock()
	switch {
	case answered:
		return false
	case isHTTP10: // has no interim responses
		return isLast
	}
	_, err := io.WriteString(c.Conn, interim)
	return err != nil
}

func (c *conn) awaitRequest() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.handled, c.answered, c.begin = false, false, nil
}

type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

func halfClosed(ctx context.Context) <-chan struct{} {
	if c, ok := ctx.Value(connKey{}).(*conn); ok {
		return c.halfClosed
	}
	return nil
}

// markHandled must be the outermost handler.
func markHandled(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connKey{}).(*conn); ok {
			c.mu.Lock()
			c.handled, c.isHTTP10 = true, !r.ProtoAtLeast(1, 1)
			c.mu.Unlock()
		}
		next.ServeHTTP(w, r)
	})
}
