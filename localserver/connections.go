package localserver

import (
	"net"
	"net/http"
	"sync"
)

// silentConnections are the connections that have said nothing yet. Browsers open such
// ones ahead of time, and http.Server.Shutdown waits five seconds for each;
// nothing is being answered on them, so a stop can close them.
type silentConnections struct {
	mu    sync.Mutex
	conns map[net.Conn]bool
}

// watchState is an http.Server's ConnState.
func (n *silentConnections) watchState(conn net.Conn, state http.ConnState) {
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

func (n *silentConnections) closeAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for conn := range n.conns {
		// It is being given up: there is nothing to do about an error.
		_ = conn.Close()
	}
}
