package connections

import (
	"net"
	"time"
)

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
