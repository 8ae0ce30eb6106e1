package datafolder

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
)

func placeIn(dir string) Place { return Place{Path: DatabaseFile(dir)} }

func writeSample(t testing.TB) (file string) {
	t.Helper()
	dir := t.TempDir()
	s := assert.Value(store.Open(t.Context(), store.Options{Path: DatabaseFile(dir), Durability: store.Normal}))(t)
	for i := range 300 {
		id, email := fmt.Sprint("user-", i), fmt.Sprintf("u%d@example.com", i)
		assert.NoError(t, s.UpsertUser(t.Context(), store.User{ID: id, Email: email, DisplayName: strings.Repeat("n", 50)}))
	}
	assert.NoError(t, s.Close())
	file = filepath.Join(dir, "snapshot")
	assert.Value(WriteSnapshot(t.Context(), placeIn(dir), file, false, nil))(t)
	return file
}

func withoutChecksum(snapshot []byte) []byte {
	return bytes.Clone(snapshot[:len(snapshot)-int(checksumSize)])
}

func writeSnapshot(t testing.TB, file string, database []byte) {
	t.Helper()
	assert.NoError(t, os.WriteFile(file, database, 0o600))
	assert.NoError(t, appendChecksum(file))
}

func changeSample(t *testing.T, file, statements string) {
	t.Helper()
	assert.NoError(t, os.WriteFile(file, withoutChecksum(assert.Value(os.ReadFile(file))(t)), 0o600))
	pool := assert.Value(sql.Open("sqlite3", file))(t)
	pool.SetMaxOpenConns(1)
	assert.Value(pool.Exec(statements))(t)
	assert.NoError(t, pool.Close())
	assert.NoError(t, appendChecksum(file))
}

// TestRestoreRefusesForeignSchemas: objects of other programs are named and not executed.
func TestRestoreRefusesForeignSchemas(t *testing.T) {
	const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
	cases := map[string]struct{ statements, want string }{
		"trigger":           {"CREATE TRIGGER t AFTER INSERT ON personas BEGIN DELETE FROM users; END", "contains the unexpected trigger t"},
		"trigger by name":   {"CREATE TRIGGER \"users\" AFTER INSERT ON users BEGIN DELETE FROM personas; END", "contains the unexpected trigger users"},
		"view":              {"CREATE VIEW v AS SELECT * FROM users", "contains the unexpected view v"},
		"view for a table":  {"DROP TABLE variables; CREATE VIEW variables AS " + endless + "i AS player_id, i AS key, i AS value FROM n", "contains the unexpected view variables"},
		"view of versions":  {"DROP TABLE goose_db_version; CREATE VIEW goose_db_version AS " + endless + "i AS version_id FROM n", "contains the unexpected view goose_db_version"},
		"virtual table":     {"CREATE VIRTUAL TABLE v USING rtree(id, a, b)", "contains the unexpected table v"},
		"table":             {"CREATE TABLE notes (x)", "contains the unexpected table notes"},
		"quoted table":      {`CREATE TABLE "main.users" (x)`, "contains the unexpected table main.users"},
		"table in capitals": {"ALTER TABLE users RENAME TO u; ALTER TABLE u RENAME TO USERS", "contains the unexpected table USERS"},
		"no table":          {"DROP TABLE variables", "does not contain the table variables"},
		"index":             {"CREATE INDEX i ON users (email)", "contains the unexpected index i"},
		"expression index":  {"CREATE INDEX i ON users (lower(email))", "contains the unexpected index i"},
		"no index":          {"DROP INDEX answers_age", "does not contain the index answers_age"},
		"column":            {"ALTER TABLE users ADD COLUMN more TEXT", "definition of its table users differs"},
		"no column":         {"ALTER TABLE answers DROP COLUMN answer", "definition of its table answers differs"},
		"computed column":   {"ALTER TABLE users ADD COLUMN more TEXT AS (upper(email))", "definition of its table users differs"},
		"computed instead":  {"ALTER TABLE users DROP COLUMN email; ALTER TABLE users ADD COLUMN email TEXT AS ('me')", "definition of its table users differs"},
		"written schema":    {"PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE TABLE users (' WHERE name = 'users'", "malformed"},
		"false root":        {"PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 99999 WHERE name = 'users'", ""},
		"lost rows":         {"PRAGMA foreign_keys = OFF; INSERT INTO variables VALUES ('nobody', 'a', 'b')", "FOREIGN KEY"},
		"later":             {"INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)", "schema version 9999"},
	}
	sample := writeSample(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			file, dir := filepath.Join(t.TempDir(), "snapshot"), t.TempDir()
			copySample(t, sample, file)
			changeSample(t, file, c.statements)
			checkRefused(t, file, dir, c.want)
		})
	}
}

func copySample(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, 0o600)
	}
	assert.NoError(t, err)
}

func checkRefused(t *testing.T, file, dir, want string) {
	t.Helper()
	_, err := RestoreSnapshot(t.Context(), file, placeIn(dir), false, time.Now(), nil)
	assert.ErrorContains(t, err, want)
	assert.ErrorContains(t, err, file)
	left, _ := os.ReadDir(dir)
	for _, entry := range left {
		assert.Equal(t, entry.Name(), lockFile, "stays behind")
	}
}

// TestRestoreOfAnyPage: a snapshot with a damaged page is refused or restored completely.
func TestRestoreOfAnyPage(t *testing.T) {
	whole := withoutChecksum(assert.Value(os.ReadFile(writeSample(t)))(t))
	const page = 4096
	for at := 0; at < len(whole); at += page {
		file, dir := filepath.Join(t.TempDir(), "snapshot"), t.TempDir()
		spoilt := bytes.Clone(whole)
		for i := at; i < at+page; i++ {
			spoilt[i] ^= 0xa5
		}
		writeSnapshot(t, file, spoilt)
		if _, err := RestoreSnapshot(t.Context(), file, placeIn(dir), false, time.Now(), nil); err == nil {
			assert.NoError(t, CheckDatabase(t.Context(), dir), "page %d", at/page)
		}
	}
}

// TestRestoreKeepsOnlyRows: every row comes back, and the schema is the program's own.
func TestRestoreKeepsOnlyRows(t *testing.T) {
	file, dir := writeSample(t), t.TempDir()
	changeSample(t, file, "PRAGMA user_version = 7; ANALYZE")
	assert.Value(RestoreSnapshot(t.Context(), file, placeIn(dir), false, time.Now(), nil))(t)
	pool := assert.Value(sql.Open("sqlite3", DatabaseFile(dir)))(t)
	defer func() { _ = pool.Close() }()
	var users, foreign, mark int
	assert.NoError(t, pool.QueryRow(`SELECT (SELECT count(*) FROM users), (SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_master WHERE name LIKE 'sqlite_stat%')`).Scan(&users, &mark, &foreign))
	assert.Equal(t, users, 300)
	assert.Equal(t, foreign, 0)
	assert.Equal(t, mark, 0)
}

// TestRestoreRefusesOtherFiles: files that cannot be snapshots are refused unread.
func TestRestoreRefusesOtherFiles(t *testing.T) {
	dir := t.TempDir()
	checkRefused(t, dir, t.TempDir(), "is a folder")
	if _, err := os.Stat(os.DevNull); err == nil && os.DevNull == "/dev/null" {
		checkRefused(t, os.DevNull, t.TempDir(), "is not a regular file")
	}
	file := filepath.Join(dir, "long")
	assert.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct {
		size int64
		long bool
	}{{maxSnapshot, false}, {maxSnapshot + 1, true}} {
		if err := os.Truncate(file, c.size); err != nil {
			t.Skip("files cannot be that long here")
		}
		err := judgeSource(file, assert.Value(os.Stat(file))(t))
		assert.Equal(t, err != nil, c.long, "%d bytes: %v", c.size, err)
	}
}

// TestRestoreTellsProgress: progress is reported, and a cancelled restore leaves nothing.
func TestRestoreTellsProgress(t *testing.T) {
	file, dir := writeSample(t), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := 0
	tell := func(_ string, done, total int64) {
		if told++; done != 300 || total != 300 {
			t.Errorf("%d of %d", done, total)
		}
		cancel()
	}
	if _, err := RestoreSnapshot(ctx, file, placeIn(dir), false, time.Now(), tell); err == nil || told != 1 {
		t.Errorf("given up: %v, told %d times", err, told)
	}
	left, err := os.ReadDir(dir)
	assert.NoError(t, err)
	assert.Must(t, len(left) == 1, "left behind: %v, %v", left, err)
	assert.Equal(t, left[0].Name(), lockFile)
}

// TestRestoreIntoLinks: a restore creates a link's target, and refuses a second name.
func TestRestoreIntoLinks(t *testing.T) {
	snapshot, dir, other := writeSample(t), t.TempDir(), t.TempDir()
	restore := func(path string) error {
		_, err := RestoreSnapshot(t.Context(), snapshot, Place{Path: path}, true, time.Now(), nil)
		return err
	}
	assert.NoError(t, restore(DatabaseFile(dir)))
	hard, soft := filepath.Join(other, "h.db"), filepath.Join(other, "s.db")
	if err := errors.Join(os.Link(DatabaseFile(dir), hard), os.Symlink(DatabaseFile(dir), soft)); err != nil {
		t.Skip("no links here: ", err)
	}
	assert.ErrorIs(t, restore(hard), store.ErrLinked, "a hard link")
	assert.NoError(t, os.Remove(hard))
	unlock := assert.Value(LockFolder(dir))(t)
	assert.ErrorIs(t, restore(soft), ErrBusy, "a symbolic link to a database in use")
	assert.NoError(t, unlock())
	assert.NoError(t, restore(soft), "a symbolic link")
	info, err := os.Lstat(soft)
	assert.True(t, err == nil && info.Mode().Type() == os.ModeSymlink, "the link is %v: %v", info.Mode(), err)
}

// TestEverySnapshotCanBeRestored: a damaged database has no snapshot or a restorable one.
func TestEverySnapshotCanBeRestored(t *testing.T) {
	whole := withoutChecksum(assert.Value(os.ReadFile(writeSample(t)))(t))
	random := rand.New(rand.NewPCG(3, 7)) // the same bytes each time
	made := 0
	for range 50 {
		dir, file := t.TempDir(), filepath.Join(t.TempDir(), "snapshot")
		damaged := append([]byte(nil), whole...)
		for range 1 + random.IntN(3) {
			damaged[100+random.IntN(len(damaged)-100)] ^= byte(1 + random.IntN(255))
		}
		assert.NoError(t, os.WriteFile(DatabaseFile(dir), damaged, 0o600))
		if _, err := WriteSnapshot(t.Context(), placeIn(dir), file, false, nil); err != nil {
			assert.True(t, !isThere(file), "a snapshot is left: %v", err)
			continue
		}
		made++
		assert.Value(RestoreSnapshot(t.Context(), file, placeIn(t.TempDir()), false, time.Now(), nil))(t, "a snapshot that cannot be restored")
	}
	assert.True(t, made != 0 && made != 50, "%d of 50 damaged databases gave a snapshot", made)
}

// TestChecksumOfSnapshot: any change of a text or of the last line is refused, and nothing is restored.
func TestChecksumOfSnapshot(t *testing.T) {
	whole := assert.Value(os.ReadFile(writeSample(t)))(t)
	size, line := len(whole), int(checksumSize)
	refuse := func(what string, snapshot []byte) {
		t.Helper()
		dir := t.TempDir()
		file := filepath.Join(dir, "snapshot")
		assert.NoError(t, os.WriteFile(file, snapshot, 0o600))
		to := filepath.Join(dir, "data")
		_, err := RestoreSnapshot(t.Context(), file, placeIn(to), false, time.Now(), nil)
		assert.True(t, errors.Is(err, ErrChanged) && strings.Contains(err.Error(), file), "%s: %v", what, err)
		assert.True(t, !isThere(DatabaseFile(to)), "%s: something was restored", what)
	}
	for cut := 1; cut <= line; cut++ {
		refuse(fmt.Sprintf("without its last %d bytes", cut), whole[:size-cut])
	}
	places := []int{bytes.Index(whole, []byte(strings.Repeat("n", 50)))}
	for at := size - line; at < size; at++ {
		places = append(places, at)
	}
	for _, at := range places {
		spoilt := bytes.Clone(whole)
		spoilt[at] ^= 0x80
		refuse(fmt.Sprintf("with another byte %d", at), spoilt)
	}
	refuse("cut in the middle of its pages", whole[:size/2])
	refuse("with an empty line behind it", append(bytes.Clone(whole), '\n'))
	refuse("an empty file", nil)
}

// TestSnapshotAsDatabase: a server can use a snapshot as its database, and then take another one.
func TestSnapshotAsDatabase(t *testing.T) {
	snapshot := writeSample(t)
	s := assert.Value(store.Open(t.Context(), store.Options{Path: snapshot, Durability: store.Normal}))(t)
	assert.NoError(t, s.Close())
	again := filepath.Join(t.TempDir(), "again")
	assert.Value(WriteSnapshot(t.Context(), Place{Path: snapshot}, again, false, nil))(t)
	assert.Value(RestoreSnapshot(t.Context(), again, placeIn(t.TempDir()), false, time.Now(), nil))(t)
}

// FuzzRestore: any snapshot is either refused without a change, or restored completely.
func FuzzRestore(f *testing.F) {
	sample := withoutChecksum(assert.Value(os.ReadFile(writeSample(f)))(f))
	f.Add([]byte("SQLite format 3\x00"), 0, []byte{0})
	f.Add([]byte{}, 100, []byte{0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{}, 16, []byte{0, 1, 2, 2})
	f.Add([]byte{}, 4096, []byte{5, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, whole []byte, at int, spoilt []byte) {
		if len(whole) == 0 {
			whole = bytes.Clone(sample)
			for i, b := range spoilt {
				whole[(max(at, 0)%len(whole)+i)%len(whole)] = b
			}
		}
		file, dir := filepath.Join(t.TempDir(), "snapshot"), t.TempDir()
		writeSnapshot(t, file, whole)
		_, err := RestoreSnapshot(t.Context(), file, placeIn(dir), false, time.Now(), nil)
		switch {
		case err != nil && IsUsed(dir):
			t.Errorf("it was refused, and something was made: %v", err)
		case err == nil:
			assert.NoError(t, CheckDatabase(t.Context(), dir), "it was restored, and")
		}
	})
}
