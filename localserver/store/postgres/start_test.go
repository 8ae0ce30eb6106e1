package postgres

import (
	"errors"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
)

// startingServer answers every connection as a PostgreSQL does that starts.
func startingServer(t *testing.T) (address string, asked *atomic.Int32) {
	t.Helper()
	listener := assert.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	asked = &atomic.Int32{}
	go func() {
		for {
			caller, err := listener.Accept()
			if err != nil {
				return
			}
			asked.Add(1)
			_, _ = io.ReadAtLeast(caller, make([]byte, 1024), 8) // the caller's name and database
			const fields = "SFATAL\x00VFATAL\x00C57P03\x00Mthe database system is starting up\x00\x00"
			_, _ = caller.Write(append([]byte{'E', 0, 0, 0, byte(len(fields) + 4)}, fields...))
			_ = caller.Close()
		}
	}()
	return "postgres://parley@" + listener.Addr().String() + "/parley?sslmode=disable", asked
}

// TestOpenWaitsForADatabaseThatStarts: Open waits for the configured time, and reports the reason.
func TestOpenWaitsForADatabaseThatStarts(t *testing.T) {
	address, asked := startingServer(t)
	var why error
	_, err := Open(t.Context(), Options{Address: address, Now: time.Now, Patience: 1200 * time.Millisecond, OnWait: func(err error) { why = err }})
	for what, err := range map[string]error{"while it waits": why, "at the end": err} {
		assert.True(t, errors.Is(err, db.ErrStarting) && strings.Contains(err.Error(), "the database postgres://parley@127.0.0.1"),
			"%s: %v", what, err)
	}
	assert.True(t, strings.Contains(err.Error(), "(waited 1.2s)") && asked.Load() >= 3,
		"asked %d times: %v", asked.Load(), err)
	before := asked.Load()
	_, err = Open(t.Context(), Options{Address: address, Now: time.Now})
	assert.True(t, errors.Is(err, db.ErrStarting) && asked.Load() == before+1, "without patience, asked %d times: %v", asked.Load()-before, err)
	_, err = Check(t.Context(), Options{Address: address})
	assert.ErrorIs(t, err, db.ErrStarting, "check")
}

// TestOpenWaitsForADatabaseThatIsDown, and opens it when it is there.
func TestOpenWaitsForADatabaseThatIsDown(t *testing.T) {
	newAddress(t) // It skips the test where there is none.
	var own storetest.Cluster
	address := assert.Value(own.NewDatabase(t.Context()))(t)
	t.Cleanup(func() { assert.NoError(t, own.Stop()) })
	assert.NoError(t, own.Kill())
	waits, opened := make(chan error, 100), make(chan error, 1)
	go func() {
		d, err := Open(t.Context(), Options{Address: address, Now: time.Now, Patience: time.Minute, OnWait: func(err error) { waits <- err }})
		if err == nil {
			err = d.Close()
		}
		opened <- err
	}()
	assert.ErrorIs(t, <-waits, db.ErrDown)
	assert.NoError(t, own.Restart(t.Context()))
	assert.NoError(t, <-opened)
}

// TestOpenWaitsForNothingElse: permanent errors are returned at once.
func TestOpenWaitsForNothingElse(t *testing.T) {
	foreign := newAddress(t)
	execRaw(t, foreign, "CREATE TABLE users (id integer)")
	for name, address := range map[string]string{
		"tables of another program": foreign,
		"no such database":          strings.Replace(newAddress(t), "/postgres?", "/nobodys?", 1),
	} {
		_, err := Open(t.Context(), Options{Address: address, Now: time.Now, Patience: time.Hour, OnWait: func(err error) { t.Errorf("%s: it waits for %v", name, err) }})
		assert.True(t, err != nil, "%s: it was opened", name)
	}
}

// TestUnencryptedIsSaid: a connection to another machine that may silently go unencrypted is
// refused, that is without sslmode or with prefer or allow.
func TestUnencryptedIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		address, environment string
		refused              bool
	}{
		"missing":                 {"postgres://parley@db.example.com/parley", "", true},
		"missing for a number":    {"postgres://parley@10.0.0.5/parley", "", true},
		"missing for a name":      {"postgres://parley@db/parley", "", true},
		"prefer":                  {"postgres://parley@db.example.com/parley?sslmode=prefer", "", true},
		"allow":                   {"postgres://parley@db.example.com/parley?sslmode=allow", "", true},
		"one of two":              {"postgres://parley@localhost,db.example.com/parley", "", true},
		"environment: prefer":     {"postgres://parley@db.example.com/parley", "prefer", true},
		"host as a parameter":     {"postgres:///parley?host=db.example.com", "", true},
		"environment: require":    {"postgres://parley@db.example.com/parley", "require", false},
		"require":                 {"postgres://parley@db.example.com/parley?sslmode=require", "", false},
		"verify-full":             {"postgres://parley@db.example.com/parley?sslmode=verify-full", "", false},
		"disable":                 {"postgres://parley@db.example.com/parley?sslmode=disable", "", false},
		"this machine":            {"postgres://parley@localhost/parley", "", false},
		"this machine by IPv4":    {"postgres://parley@127.0.0.1:5433/parley", "", false},
		"this machine by IPv6":    {"postgres://parley@[::1]/parley", "", false},
		"a socket":                {"postgres:///parley?host=/var/run/postgresql", "", false},
		"a socket, and TLS":       {"postgres:///parley?host=/var/run/postgresql&sslmode=prefer", "", false},
		"this machine, preferred": {"postgres://parley@localhost/parley?sslmode=prefer", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PGSSLMODE", c.environment)
			_, _, err := openPool(Options{Address: c.address})
			if errors.Is(err, db.ErrUnencrypted) != c.refused || err != nil && !c.refused {
				t.Errorf("got %v", err)
			}
			if c.refused && !strings.Contains(err.Error(), "sslmode=verify-full") {
				t.Errorf("%v does not say what to write", err)
			}
		})
	}
}
