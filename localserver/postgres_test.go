package localserver

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/store/storetest"
)

// onPostgres makes the servers of all tests use PostgreSQL: go test ./localserver -postgres.
var onPostgres = flag.Bool("postgres", false, "keep the data of all tests in PostgreSQL")

// cluster is the PostgreSQL of this package's tests.
var cluster storetest.Cluster

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/parley-npc/parley/localserver/store/storetest.awaitEnd"),
		goleak.Cleanup(func(code int) {
			if err := cluster.Stop(); err != nil {
				fmt.Println(err)
				code = 1
			}
			os.Exit(code)
		}))
}

// inPostgres makes a server use an empty PostgreSQL database.
func inPostgres(t testing.TB) func(*Options) {
	t.Helper()
	address := cluster.MustNewDatabase(t)
	return func(o *Options) { o.Database.Address = address }
}

// skipOnPostgres skips a test that is about the file of a database.
func skipOnPostgres(t testing.TB) {
	t.Helper()
	if *onPostgres {
		t.Skip("it is about the file of a database")
	}
}

// folders maps data folders to databases if all tests use PostgreSQL.
var folders sync.Map

// moveData moves the data of a test from a data folder to PostgreSQL, if requested.
func moveData(t testing.TB, o *Options) {
	if !*onPostgres || o.Database.Address != "" {
		return
	}
	if kept, ok := folders.Load(o.Data); ok && o.Data != datafolder.Memory {
		o.Database.Address = kept.(string)
		return
	}
	inPostgres(t)(o)
	folders.Store(o.Data, o.Database.Address)
}
