package connections

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

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
