package connections

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"time"
)

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
