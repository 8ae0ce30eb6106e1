package datafolder

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
)

// writeSample writes a snapshot of a folder with 300 users.
func writeSample(t testing.TB) (file string) {
	t.Helper()
	dir := t.TempDir()
	s := assert.Value(store.Open(t.Context(), store.Options{Path: DatabaseFile(dir), Durability: store.Normal}))(t)
	for i := range 300 {
		assert.NoError(t, s.UpsertUser(t.Context(), store.User{ID: fmt.Sprint("user-", i), Email: fmt.Sprintf("u%d@example.com", i), DisplayName: strings.Repeat("n", 50)}))
	}
	assert.NoError(t, s.Close())
	file = filepath.Join(dir, "snapshot")
	assert.Value(WriteSnapshot(t.Context(), FindPlace(dir), file, false, nil))(t)
	return file
}

// cutChecksum converts a snapshot to one of an older version, without a checksum and without the
// mark.
func cutChecksum(t testing.TB, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, withoutChecksum(content), 0o600)
	}
	assert.NoError(t, err)
}

func withoutChecksum(snapshot []byte) []byte {
	older := bytes.Clone(snapshot[:len(snapshot)-int(checksumSize)])
	copy(older[markOffset:], make([]byte, 4))
	return older
}

// changeSample changes a snapshot as any program can.
func changeSample(t *testing.T, file, statements string) {
	t.Helper()
	cutChecksum(t, file)
	pool := assert.Value(sql.Open("sqlite3", file))(t)
	defer func() { _ = pool.Close() }()
	pool.SetMaxOpenConns(1)
	assert.Value(pool.Exec(statements))(t)
}

// TestRestoreRefusesForeignSchemas: objects of another program in a snapshot are named in the
// error, and never executed. A refused restore does not leave files.
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
		"column":            {"ALTER TABLE users ADD COLUMN more TEXT", "contains the unexpected column more of table users"},
		"no column":         {"ALTER TABLE answers DROP COLUMN answer", "does not contain the column answer of table answers"},
		"computed column":   {"ALTER TABLE users ADD COLUMN more TEXT AS (upper(email))", "contains the unexpected column computed more of table users"},
		"computed instead":  {"ALTER TABLE users DROP COLUMN email; ALTER TABLE users ADD COLUMN email TEXT AS ('me')", "contains the unexpected column computed email of table users"},
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
	_, err := RestoreSnapshot(t.Context(), file, FindPlace(dir), false, time.Now(), nil)
	assert.True(t, err != nil && strings.Contains(err.Error(), want) && strings.Contains(err.Error(), file),
		"got %v, want %q of %s", err, want, file)
	left, _ := os.ReadDir(dir)
	for _, entry := range left {
		assert.Equal(t, entry.Name(), lockFile, "stays behind")
	}
}

// TestRestoreOfAnyPage: a snapshot with any page damaged is refused, or the restored data is
// complete.
func TestRestoreOfAnyPage(t *testing.T) {
	sample := writeSample(t)
	cutChecksum(t, sample)
	whole := assert.Value(os.ReadFile(sample))(t)
	const page = 4096
	for at := 0; at < len(whole); at += page {
		file, dir := filepath.Join(t.TempDir(), "snapshot"), t.TempDir()
		spoilt := bytes.Clone(whole)
		for i := at; i < at+page; i++ {
			spoilt[i] ^= 0xa5
		}
		assert.NoError(t, os.WriteFile(file, spoilt, 0o600))
		if _, err := RestoreSnapshot(t.Context(), file, FindPlace(dir), false, time.Now(), nil); err == nil {
			assert.NoError(t, CheckDatabase(t.Context(), dir), "page %d", at/page)
		}
	}
}

// TestRestoreKeepsOnlyRows: every row comes back, and the schema is the program's own.
func TestRestoreKeepsOnlyRows(t *testing.T) {
	file, dir := writeSample(t), t.TempDir()
	changeSample(t, file, "PRAGMA user_version = 7; ANALYZE")
	assert.Value(RestoreSnapshot(t.Context(), file, FindPlace(dir), false, time.Now(), nil))(t)
	pool := assert.Value(sql.Open("sqlite3", DatabaseFile(dir)))(t)
	defer func() { _ = pool.Close() }()
	var users, foreign, mark int
	assert.NoError(t, pool.QueryRow("SELECT (SELECT count(*) FROM users), (SELECT count(*) FROM sqlite_master WHERE name LIKE 'sqlite_stat%'), (SELECT user_version FROM pragma_user_version)").Scan(&users, &foreign, &mark))
	assert.Equal(t, users, 300)
	assert.Equal(t, foreign, 0)
	assert.Equal(t, mark, 0)
}

// TestRestoreRefusesOtherFiles: files that cannot be snapshots are refused before they are read,
// also a file that is one byte too long.
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
		err := checkSource(file)
		assert.Equal(t, err != nil, c.long, "%d bytes: %v", c.size, err)
	}
}

// TestRestoreTellsProgress: a restore reports its progress, and a cancelled one leaves nothing
// behind.
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
	if _, err := RestoreSnapshot(ctx, file, FindPlace(dir), false, time.Now(), tell); err == nil || told != 1 {
		t.Errorf("given up: %v, told %d times", err, told)
	}
	left, err := os.ReadDir(dir)
	assert.True(t, err == nil && len(left) == 1 && left[0].Name() == lockFile, "left behind: %v, %v", left, err)
}
