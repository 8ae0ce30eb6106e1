package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

// fakeClock is a time that a test sets.
type fakeClock struct{ at time.Time }

func (c *fakeClock) readTime() time.Time { return c.at }

func newClock() *fakeClock { return &fakeClock{time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)} }

func openAt(t testing.TB, o Options) *Store {
	t.Helper()
	s := assert.Value(Open(context.Background(), o))(t)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func openStore(t testing.TB) *Store {
	t.Helper()
	return openAt(t, Options{Path: filepath.Join(t.TempDir(), "data", "parley.db")})
}

// inSQLite is the store's database, where that is a file.
func inSQLite(s *Store) *sqliteDatabase { return s.database.database.(*sqliteDatabase) }

func TestOpenKeeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c#d%20e", "parley.db")
	for range 3 {
		s := assert.Value(Open(t.Context(), Options{Path: path}))(t)
		assert.NoError(t, errors.Join(s.Ping(t.Context()), s.UpsertUser(t.Context(), alice), s.Close()))
	}
	left, err := os.ReadDir(filepath.Dir(path))
	assert.True(t, err == nil && len(left) == 1 && left[0].Name() == "parley.db",
		"after Close the folder has %v, want the one file", left)
	s := openAt(t, Options{Path: path})
	assert.Equal(t, countRows(t, s, "users"), 1, "users after opening again")
}

func TestOpenIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are POSIX's")
	}
	path := filepath.Join(t.TempDir(), "new", "parley.db")
	s := openAt(t, Options{Path: path})
	assert.NoError(t, s.UpsertUser(t.Context(), alice))
	for name, want := range map[string]os.FileMode{"": 0o700, "parley.db": 0o600, "parley.db-wal": 0o600, "parley.db-shm": 0o600} {
		t.Run(name, func(t *testing.T) {
			info := assert.Value(os.Stat(filepath.Join(filepath.Dir(path), name)))(t)
			assert.Equal(t, info.Mode().Perm(), want, "%q has mode", name)
		})
	}
}

func TestOpenMemoryLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := assert.Value(Open(t.Context(), Options{Path: Memory}))(t)
	folder := inSQLite(s).temporary
	assert.NoError(t, errors.Join(s.UpsertUser(t.Context(), alice), s.Close()))
	_, err := os.Stat(folder)
	assert.ErrorIs(t, err, os.ErrNotExist, "the folder %s is still there", folder)
}

// readPragma reads a pragma of a connection.
func readPragma(t *testing.T, pool *sql.DB, pragma string) (value string) {
	t.Helper()
	assert.NoError(t, pool.QueryRow("PRAGMA "+pragma).Scan(&value))
	return value
}

func TestOptions(t *testing.T) {
	s := openStore(t)
	for pragma, want := range map[string]string{
		"foreign_keys": "1", "journal_mode": "wal", "synchronous": "2", "busy_timeout": "5000", "query_only": "0",
	} {
		t.Run(pragma, func(t *testing.T) {
			assert.Equal(t, readPragma(t, inSQLite(s).writer, pragma), want, "writer: %s", pragma)
		})
	}
	assert.Equal(t, readPragma(t, inSQLite(s).readers, "query_only"), "1", "readers: query_only")
	_, err := inSQLite(s).readers.Exec("DELETE FROM users")
	assert.True(t, err != nil, "a reader could write")
	assert.Equal(t, inSQLite(s).writer.Stats().MaxOpenConnections, 1, "writing connections")
	quick := openAt(t, Options{Path: filepath.Join(t.TempDir(), "parley.db"), Durability: Normal})
	assert.Equal(t, readPragma(t, inSQLite(quick).writer, "synchronous"), "1", "Normal: synchronous")
	gone := openAt(t, Options{Path: Memory})
	assert.Equal(t, readPragma(t, inSQLite(gone).writer, "synchronous"), "0", "Memory: synchronous")
}

// execRaw changes a database behind the store's back.
func execRaw(t *testing.T, path string, statements ...string) {
	t.Helper()
	pool := assert.Value(sql.Open("sqlite3", fileURI(path)))(t)
	for _, statement := range statements {
		assert.Value(pool.Exec(statement))(t)
	}
	assert.NoError(t, pool.Close())
}

func TestOpenRefuses(t *testing.T) {
	ours := func(t *testing.T, path string) {
		s := assert.Value(Open(t.Context(), Options{Path: path}))(t)
		assert.NoError(t, s.Close())
	}
	cases := []struct {
		name    string
		prepare func(t *testing.T, path string)
		want    []string
	}{
		{"text", func(t *testing.T, path string) {
			assert.NoError(t, os.WriteFile(path, []byte(strings.Repeat("name: Ava\n", 200)), 0o644))
		}, []string{"is not a database"}},
		{"a few bytes", func(t *testing.T, path string) { assert.NoError(t, os.WriteFile(path, []byte("x"), 0o644)) }, []string{"is not a database"}},
		{"another program's", func(t *testing.T, path string) { execRaw(t, path, "CREATE TABLE notes (x)") }, []string{"another program"}},
		{"another program's id", func(t *testing.T, path string) {
			execRaw(t, path, "PRAGMA application_id = 7", "CREATE TABLE notes (x)")
		}, []string{"another program"}},
		{"newer", func(t *testing.T, path string) {
			ours(t, path)
			execRaw(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)")
		}, []string{"schema version 9999", fmt.Sprint("up to ", ownSteps().newest()), "newer parley"}},
		{"emptied", func(t *testing.T, path string) { assert.NoError(t, os.WriteFile(path, nil, 0o600)) }, []string{"has lost its content", "is empty", "snapshot"}},
		{"gone, with its log left", func(t *testing.T, path string) {
			assert.NoError(t, os.Rename(killedDatabase(t)+"-wal", path+"-wal"))
		}, []string{"has lost its content", "parley.db-wal", "snapshot"}},
		{"gone, with a log of no bytes left", func(t *testing.T, path string) {
			assert.NoError(t, os.WriteFile(path+"-wal", nil, 0o600))
		}, []string{"has lost its content", "parley.db-wal", "snapshot"}},
		{"a folder", func(t *testing.T, path string) { assert.NoError(t, os.Mkdir(path, 0o755)) }, []string{"open the database"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "parley.db")
			c.prepare(t, path)
			before, _ := os.ReadFile(path)
			s, err := Open(t.Context(), Options{Path: path})
			if err == nil {
				t.Fatal(errors.Join(errors.New("it was opened"), s.Close()))
			}
			for _, want := range append(c.want, filepath.Base(path)) {
				assert.Contains(t, err.Error(), want, "error %q does not say", err)
			}
			after, _ := os.ReadFile(path)
			assert.Equal(t, string(after), string(before), "the file was changed")
		})
	}
}

// TestOpenMakesNoEmptyFile: an interrupted first start leaves a database or no file.
func TestOpenMakesNoEmptyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	checkFile := disk{func(f *os.File) error {
		info, err := f.Stat()
		assert.True(t, err == nil && info.Size() != 0, "%s is empty: %v", f.Name(), err)
		return nil
	}, func(folder string) error {
		info, err := os.Stat(path)
		assert.True(t, err == nil && info.Size() != 0, "it has its name when it is empty: %v", err)
		return nil
	}}
	s := openAt(t, Options{Path: path, disk: checkFile})
	assert.NoError(t, s.UpsertUser(t.Context(), alice))
}

// TestOpenFollowsALink: a database may be elsewhere, behind a link.
func TestOpenFollowsALink(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there.db")
	path := filepath.Join(t.TempDir(), "parley.db")
	assert.NoError(t, assert.Value(Open(t.Context(), Options{Path: there}))(t).Close())
	if err := os.Symlink(there, path); err != nil {
		t.Skip(err)
	}
	for range 2 {
		s := assert.Value(Open(t.Context(), Options{Path: path, Durability: Normal}))(t)
		assert.NoError(t, errors.Join(s.UpsertUser(t.Context(), alice), s.Close()))
	}
	assert.NoError(t, CheckDatabase(t.Context(), there))
}

func TestOpenGoesOnAfterACutFirstStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	execRaw(t, path, `CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT,
		version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')))`,
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1)")
	s := openAt(t, Options{Path: path})
	assert.NoError(t, s.UpsertUser(t.Context(), alice))
}

func TestEveryMigrationIsKnown(t *testing.T) {
	s := openStore(t)
	var applied int64
	assert.NoError(t, inSQLite(s).writer.QueryRow("SELECT max(version_id) FROM goose_db_version").Scan(&applied))
	known := ownSteps().newest()
	assert.True(t, applied == known && known != 0, "applied version %d, known %d", applied, known)
}

func checkRefuses(t testing.TB, what string, err, want error) {
	t.Helper()
	assert.ErrorIs(t, err, want, what)
}

// refused returns a function that checks as checkRefuses does: refused(f())(t, what, want).
func refused[T any](_ T, err error) func(t testing.TB, what string, want error) {
	return func(t testing.TB, what string, want error) {
		t.Helper()
		checkRefuses(t, what, err, want)
	}
}

// countTables lists the tables of the schema with their numbers of rows.
func countTables(t testing.TB, s *Store) map[string]int {
	t.Helper()
	query := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'goose_db_version'"
	if s.database.IsShared() {
		query = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_name <> 'parley_migrations'"
	}
	names := assert.Value(listNames(t.Context(), rawPool(t, s), query))(t)
	counts := map[string]int{}
	for _, name := range names {
		counts[name] = countRows(t, s, name)
	}
	return counts
}

func countRows(t testing.TB, s *Store, table string) (n int) {
	t.Helper()
	assert.NoError(t, rawPool(t, s).QueryRow("SELECT count(*) FROM "+table).Scan(&n))
	return n
}

// TestHardLinks: a database with two names is neither opened nor copied nor called whole,
// and it is again once it has one. Nothing is made beside the other name.
func TestHardLinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	s := assert.Value(Open(t.Context(), Options{Path: path}))(t)
	assert.NoError(t, errors.Join(s.UpsertUser(t.Context(), alice), s.Close()))
	other := filepath.Join(t.TempDir(), "h.db")
	if err := os.Link(path, other); err != nil {
		t.Skip("no links here: ", err)
	}
	for _, name := range []string{path, other} {
		_, err := Open(t.Context(), Options{Path: name})
		checkRefuses(t, "opened", err, ErrLinked)
		checkRefuses(t, "checked", CheckDatabase(t.Context(), name), ErrLinked)
		checkRefuses(t, "copied", copyFile(t, name, filepath.Join(t.TempDir(), "copy")), ErrLinked)
	}
	there, err := os.ReadDir(filepath.Dir(other))
	assert.True(t, err == nil && len(there) == 1, "beside the link there is %v: %v", there, err)
	assert.NoError(t, os.Remove(other))
	s = openAt(t, Options{Path: path})
	assert.Equal(t, countRows(t, s, "users"), 1, "its rows are gone")
}

// TestLeftNames: a name that a start or a restore left when it was cut off does not stop the
// next start, and is removed; files of others that are called so stay.
func TestLeftNames(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "parley.db")
	s := assert.Value(Open(t.Context(), Options{Path: path}))(t)
	assert.NoError(t, s.Close())
	own := filepath.Join(dir, "parley.db.before-20260101-000000.000")
	assert.NoError(t, os.WriteFile(own, []byte("older data"), 0o600))
	if err := os.Link(path, filepath.Join(dir, ".parley.db-123")); err != nil {
		t.Skip("no links here: ", err)
	}
	assert.NoError(t, os.Link(path, filepath.Join(dir, "parley.db.before-20260102-000000.000")))
	s = assert.Value(Open(t.Context(), Options{Path: path}))(t)
	assert.NoError(t, s.Close())
	there, err := os.ReadDir(dir)
	assert.NoError(t, err)
	assert.Must(t, len(there) == 2, "there is %v: %v", there, err)
	assert.Equal(t, there[0].Name(), "parley.db")
	assert.Equal(t, there[1].Name(), filepath.Base(own))
}
