package localserver

import (
	"errors"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/store/double"
	"github.com/parley-npc/parley/personas/wire"
)

// relay stands between a server and its database; while it is held, nothing passes and
// nobody hangs up, as where a machine is stopped or a cable is pulled.
type relay struct {
	held sync.RWMutex
	to   string
}

func (r *relay) serve(l net.Listener) {
	for {
		from, err := l.Accept()
		if err != nil {
			return
		}
		to, err := net.Dial("unix", r.to)
		if err != nil {
			_ = from.Close()
			return
		}
		go r.pass(from, to)
		go r.pass(to, from)
	}
}

func (r *relay) pass(from, to net.Conn) {
	defer func() { _ = from.Close(); _ = to.Close() }()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		r.held.RLock()
		_, failed := to.Write(buffer[:n])
		r.held.RUnlock()
		if errors.Join(err, failed) != nil {
			return
		}
	}
}

// relayed returns a relay and the address of the database behind it.
func relayed(t *testing.T, address string) (*relay, string) {
	t.Helper()
	at, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	query := at.Query()
	r := &relay{to: filepath.Join(query.Get("host"), ".s.PGSQL.5432")}
	query.Del("host")
	at.Host, at.RawQuery = l.Addr().String(), query.Encode()
	go r.serve(l)
	return r, at.String()
}

// TestReadinessOfAHungDatabase: a balancer that asks a node whose database neither answers
// nor hangs up gets its 503 before it would give up asking.
func TestReadinessOfAHungDatabase(t *testing.T) {
	t.Parallel()
	address, err := cluster.NewDatabase(t.Context())
	if errors.Is(err, double.ErrNone) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	r, address := relayed(t, address)
	h := begin(t, func(o *Options) { o.Database.Address = address })
	h.send("", "GET", "/readyz", "").want(200)
	r.held.Lock()
	begun := time.Now()
	e := h.send("", "GET", "/readyz", "").fails(503, wire.CodeUnavailable)
	took := time.Since(begun)
	r.held.Unlock()
	if took > 10*time.Second || !strings.Contains(e.Message, "the database does not answer") {
		t.Errorf("after %s: %s", took, e.Message)
	}
	h.send("", "GET", "/healthz", "").want(200)
}
