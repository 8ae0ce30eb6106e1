package connections

import (
	"net"
	"net/http"
	"sync"
)

// Silent are the connections that have said nothing yet. Browsers open such
// ones ahead of time, and http.Server.Shutdown waits five seconds for each;
// nothing is being answered on them, so a stop can close them.
type Silent struct {
	mu    sync.Mutex
	conns map[net.Conn]bool
}

// WatchState is an http.Server's ConnState.
func (n *Silent) WatchState(conn net.Conn, state http.ConnState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if state != http.StateNew {
		delete(n.conns, conn)
		return
	}
	if n.conns == nil {
		n.conns = map[net.Conn]bool{}
	}
	n.conns[conn] = true
}

// CloseAll closes them.
func (n *Silent) CloseAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for conn := range n.conns {
		// It is being given up: there is nothing to do about an error.
		_ = conn.Close()
	}
}
