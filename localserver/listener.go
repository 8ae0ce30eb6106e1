package localserver

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"time"
)

// trackedListener closes connections without a request when the server stops. Browsers open
// connections in advance, and http.Server.Shutdown waits five seconds for each.
type trackedListener struct {
	net.Listener
	answer func(refusal, begin []byte) []byte

	mu         sync.Mutex
	unused     map[net.Conn]time.Time // connections without a request, with the time of Accept
	lastChange time.Time              // last change of unused by a request
	ends       time.Time              // deadline of Accept after finish
}

const (
	// silentGrace is the minimum age of an idle connection. On a younger connection, a request may
	// be in transit.
	silentGrace = 250 * time.Millisecond
	// heardGrace is the time from a received request to its handler on a busy machine. With 10 ms,
	// a stopping server lost some requests.
	heardGrace  = 50 * time.Millisecond
	lastWait    = 500 * time.Microsecond
	lastTimeout = time.Second
)

// finish closes the listener after all queued connections are accepted. Close would drop these
// connections.
func (l *trackedListener) finish() error {
	l.mu.Lock()
	l.ends = time.Now().Add(lastTimeout)
	l.mu.Unlock()
	return l.setDeadline(time.Now()) // wakes Accept
}

func (l *trackedListener) setDeadline(t time.Time) error {
	return l.Listener.(interface{ SetDeadline(time.Time) error }).SetDeadline(t)
}

// Accept returns the next connection. After finish, it returns net.ErrClosed when the queue is
// empty.
func (l *trackedListener) Accept() (net.Conn, error) {
	plain, err := l.Listener.Accept()
	l.mu.Lock()
	ends := l.ends
	l.mu.Unlock()
	isFinishing := !ends.IsZero() && time.Now().Before(ends)
	if err != nil && isFinishing && l.setDeadline(time.Now().Add(lastWait)) == nil {
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
		l.lastChange = time.Now()
	}
}

// awaitYoung waits until each connection has sent a request or is idle. Call it before
// http.Server.Shutdown, because net/http drops later requests.
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
	return now.Sub(l.lastChange) < heardGrace
}

func (l *trackedListener) closeUnused() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for plain := range l.unused {
		_ = plain.Close()
	}
}
