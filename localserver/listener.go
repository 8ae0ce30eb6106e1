package localserver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// A trackedListener tracks connections without a request, so that a stopping server can close them.
// Browsers open connections in advance, and http.Server.Shutdown would wait five seconds for each.
type trackedListener struct {
	net.Listener
	// answer returns the answer to a request that net/http rejected.
	answer func(refusal, begin []byte) []byte

	mu     sync.Mutex
	unused map[net.Conn]time.Time // time of connecting
	heard  time.Time              // when a request was last received on one of them
	ends   time.Time              // when the listener closes at the latest; zero until finish is called
}

const (
	// silentGrace is the age at which a connection without a request counts as idle. On a younger
	// connection, a request may be in transit.
	silentGrace = 250 * time.Millisecond
	// heardGrace is the time in which a received request reaches its handler even on a busy
	// machine. With 10 ms, some requests were lost when the server stopped.
	heardGrace = 50 * time.Millisecond
	// After finish, the listener closes if no connection arrives for lastWait, and in any case
	// after lastPatience.
	lastWait     = 500 * time.Microsecond
	lastPatience = time.Second
)

// finish makes the listener accept the connections in the system's queue, and then close. Close
// would drop these connections.
func (l *trackedListener) finish() error {
	l.mu.Lock()
	l.ends = time.Now().Add(lastPatience)
	l.mu.Unlock()
	return l.setDeadline(time.Now()) // It ends a running call of Accept.
}

func (l *trackedListener) setDeadline(t time.Time) error {
	return l.Listener.(interface{ SetDeadline(time.Time) error }).SetDeadline(t)
}

// Accept waits for the next connection. After finish, it returns net.ErrClosed if the queue is empty.
func (l *trackedListener) Accept() (net.Conn, error) {
	plain, err := l.Listener.Accept()
	l.mu.Lock()
	ends := l.ends
	l.mu.Unlock()
	if err != nil && !ends.IsZero() && time.Now().Before(ends) && l.setDeadline(time.Now().Add(lastWait)) == nil {
		plain, err = l.Listener.Accept()
	}
	switch {
	case err == nil:
		return newConn(plain, l.answer), nil
	case ends.IsZero():
		return nil, err
	}
	return nil, errors.Join(net.ErrClosed, l.Close())
}

// watchState tracks the requests on a connection. It is the field ConnState of the http.Server.
func (l *trackedListener) watchState(plain net.Conn, state http.ConnState) {
	if c, ok := plain.(*conn); ok && state == http.StateIdle {
		c.awaitRequest()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if state == http.StateNew {
		if l.unused == nil {
			l.unused = map[net.Conn]time.Time{}
		}
		l.unused[plain] = time.Now()
	} else if _, ok := l.unused[plain]; ok {
		delete(l.unused, plain)
		l.heard = time.Now()
	}
}

// awaitYoung waits until each connection has either sent a request or is older than silentGrace.
// It must be called before http.Server.Shutdown, because net/http drops requests that it reads
// afterwards.
func (l *trackedListener) awaitYoung(ctx context.Context) {
	for l.isYoung(time.Now()) && ctx.Err() == nil {
		time.Sleep(heardGrace / 2)
	}
}

func (l *trackedListener) isYoung(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, since := range l.unused {
		if now.Sub(since) < silentGrace {
			return true
		}
	}
	return now.Sub(l.heard) < heardGrace
}

// closeUnused closes the connections on which no request was received.
func (l *trackedListener) closeUnused() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for plain := range l.unused {
		_ = plain.Close()
	}
}
