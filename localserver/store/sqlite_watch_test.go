package store

import (
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

// closedDatabase returns a closed database with one user.
func closedDatabase(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "parley.db")
	s := assert.Value(Open(t.Context(), Options{Path: path}))(t)
	assert.NoError(t, errors.Join(s.UpsertUser(t.Context(), alice), s.Close()))
	return path
}

// killedDatabase returns a database with a user that is only in the log.
func killedDatabase(t *testing.T) (path string) {
	t.Helper()
	from := filepath.Join(t.TempDir(), "parley.db")
	path = filepath.Join(t.TempDir(), "parley.db")
	s := openAt(t, Options{Path: from})
	assert.NoError(t, s.UpsertUser(t.Context(), alice))
	for _, end := range []string{"", "-wal"} {
		content := assert.Value(os.ReadFile(from + end))(t)
		assert.NoError(t, os.WriteFile(path+end, content, 0o600))
	}
	return path
}

// forbidIndex keeps SQLite from creating the file that it shares a database by.
func forbidIndex(t *testing.T, path string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		assert.NoError(t, os.Mkdir(path+"-shm", 0o700))
		return
	}
	assert.NoError(t, os.Symlink("nothing", path+"-shm")) // SQLite follows none.
}

func fullDisk(string) error { return ErrFull }

// TestOpenOnFullDisk: the stored rows can be read, writes fail, and the reason is reported.
func TestOpenOnFullDisk(t *testing.T) {
	for name, prepare := range map[string]func(*testing.T) string{"closed": closedDatabase, "killed": killedDatabase} {
		t.Run(name, func(t *testing.T) {
			path := prepare(t)
			forbidIndex(t, path)
			s := openAt(t, Options{Path: path, probeRoom: fullDisk})
			var users int
			assert.NoError(t, inSQLite(s).readers.QueryRow("SELECT count(*) FROM users").Scan(&users))
			assert.Equal(t, users, 1, "users")
			checkRefuses(t, "write", s.UpsertUser(t.Context(), User{ID: "bob"}), ErrReadOnly)
			checkRefuses(t, "Ping", s.Ping(t.Context()), ErrReadOnly)
			assert.NoError(t, CheckKept(s))
		})
	}
}

// TestOpenOnFullDiskRefuses: a database that cannot be read without writing is refused.
func TestOpenOnFullDiskRefuses(t *testing.T) {
	cases := map[string]struct {
		prepare func(t *testing.T, path string)
		steps   schemaSteps
		want    string
	}{
		"empty":   {func(t *testing.T, path string) { assert.NoError(t, os.Truncate(path, 0)) }, schemaSteps{}, ErrEmptied.Error()},
		"none":    {func(t *testing.T, path string) { assert.NoError(t, os.Remove(path)) }, schemaSteps{}, ErrFull.Error()},
		"earlier": {func(*testing.T, string) {}, laterSteps(t), ErrFull.Error()},
		"foreign": {func(t *testing.T, path string) { execRaw(t, path, "CREATE TABLE notes (x)") }, schemaSteps{}, "the unexpected table notes"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := closedDatabase(t)
			c.prepare(t, path)
			forbidIndex(t, path)
			_, err := Open(t.Context(), Options{Path: path, steps: c.steps, probeRoom: fullDisk})
			assert.ErrorContains(t, err, c.want)
		})
	}
}

// TestFullDiskIsNamed: a write on a full disk returns ErrFull, and succeeds with space.
func TestFullDiskIsNamed(t *testing.T) {
	s := openStore(t)
	big := alice
	big.DisplayName = strings.Repeat("n", 1<<20)
	var pages int
	assert.NoError(t, inSQLite(s).writer.QueryRow("PRAGMA page_count").Scan(&pages))
	assert.Value(inSQLite(s).writer.Exec(fmt.Sprint("PRAGMA max_page_count = ", pages)))(t)
	checkRefuses(t, "no room", s.UpsertUser(t.Context(), big), ErrFull)
	assert.Equal(t, countRows(t, s, "users"), 0, "users are kept")
	assert.Value(inSQLite(s).writer.Exec("PRAGMA max_page_count = 100000"))(t)
	assert.NoError(t, s.UpsertUser(t.Context(), big))
}

func TestRoomIsProbedRarely(t *testing.T) {
	asked := 0
	s := openAt(t, Options{Path: Memory, probeRoom: func(string) error { asked++; return nil }})
	for range 1000 {
		assert.NoError(t, s.Ping(t.Context()))
	}
	assert.True(t, asked <= 5, "%d times", asked)
	path := filepath.Join(t.TempDir(), "room")
	writeFile(t, path, "left")
	assert.NoError(t, probeRoom(path))
	_, err := os.Stat(path)
	assert.ErrorIs(t, err, os.ErrNotExist, "it stays")
}

// TestCopyWithoutIndex: a database in a read-only directory is checked and copied.
func TestCopyWithoutIndex(t *testing.T) {
	for name, prepare := range map[string]func(*testing.T) string{"closed": closedDatabase, "killed": killedDatabase} {
		t.Run(name, func(t *testing.T) {
			path, to := prepare(t), filepath.Join(t.TempDir(), "copy")
			forbidIndex(t, path)
			assert.NoError(t, CheckDatabase(t.Context(), path))
			assert.NoError(t, copyFile(t, path, to))
			s := openAt(t, Options{Path: to})
			assert.Equal(t, countRows(t, s, "users"), 1, "users")
		})
	}
}

// TestCopyWithoutIndexNotices who begins to use the database meanwhile.
func TestCopyWithoutIndexNotices(t *testing.T) {
	cases := map[string]func(t *testing.T, path string){
		"log":     func(t *testing.T, path string) { writeFile(t, path+"-wal", "x") },
		"longer":  func(t *testing.T, path string) { assert.NoError(t, os.Truncate(path, 1<<20)) },
		"written": func(t *testing.T, path string) { assert.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(1, 0))) },
		"another": func(t *testing.T, path string) {
			assert.NoError(t, errors.Join(os.Rename(path, path+"-old"), os.WriteFile(path, nil, 0o600)))
		},
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			path := closedDatabase(t)
			forbidIndex(t, path)
			r := assert.Value(openToRead(t.Context(), path))(t)
			defer func() { _ = r.Close() }()
			assert.NoError(t, r.checkUnchanged())
			change(t, path)
			assert.True(t, r.checkUnchanged() != nil, "it was not noticed")
		})
	}
}
