package store

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
)

// cluster is the PostgreSQL of this package's tests.
var cluster storetest.Cluster

func TestMain(m *testing.M) {
	code := m.Run()
	if err := cluster.Stop(); err != nil {
		fmt.Println(err)
		code = 1
	}
	os.Exit(code)
}

// opener opens a store, a new one unless the options name one.
type opener func(t testing.TB, o Options) *Store

// onEachDatabase runs a test of the verbs on each kind of database.
func onEachDatabase(t *testing.T, test func(t *testing.T, open opener)) {
	t.Run("sqlite", func(t *testing.T) {
		test(t, func(t testing.TB, o Options) *Store {
			if o.Path == "" {
				o.Path = filepath.Join(t.TempDir(), "parley.db")
			}
			return openNamed(t, o)
		})
	})
	t.Run("postgres", func(t *testing.T) {
		newAddress(t) // It skips the test where there is none.
		test(t, func(t testing.TB, o Options) *Store {
			if o.Path == "" {
				o.Path = newAddress(t)
			}
			return openNamed(t, o)
		})
	})
}

// onEachStore runs a test on a store with users on each kind of database.
func onEachStore(t *testing.T, test func(t *testing.T, s *Store)) {
	onEachDatabase(t, func(t *testing.T, open opener) { test(t, withUsers(t, open(t, Options{}))) })
}

func openNamed(t testing.TB, o Options) *Store {
	s := openAt(t, o)
	addresses.Store(s, o.Path)
	return s
}

// newAddress is the address of an empty PostgreSQL database.
func newAddress(t testing.TB) string {
	t.Helper()
	return cluster.MustNewDatabase(t)
}

// addresses are where the stores of tests are, by *Store.
var addresses sync.Map

func addressOf(s *Store) string {
	address, _ := addresses.Load(s)
	return address.(string)
}

// rawPool asks a store's database past the store.
func rawPool(t testing.TB, s *Store) *sql.DB {
	t.Helper()
	if file, ok := s.database.database.(*sqliteDatabase); ok {
		return file.writer
	}
	pool := assert.Value(storetest.OpenPool(addressOf(s)))(t)
	t.Cleanup(func() { assert.NoError(t, pool.Close()) })
	return pool
}
