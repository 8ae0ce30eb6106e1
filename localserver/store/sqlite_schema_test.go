package store

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/parley-npc/parley/personas/assert"
)

// TestOpenRefusesForeignSchemas: another program's additions are reported, not executed.
func TestOpenRefusesForeignSchemas(t *testing.T) {
	newest := strconv.FormatInt(ownSteps().newest(), 10)
	const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT "
	cases := map[string]struct{ statements, want string }{
		"trigger":             {"CREATE TRIGGER t AFTER INSERT ON personas BEGIN DELETE FROM users; END", "contains the unexpected trigger t"},
		"trigger on versions": {"CREATE TRIGGER t AFTER INSERT ON goose_db_version BEGIN DELETE FROM users; END", "contains the unexpected trigger t"},
		"view":                {"CREATE VIEW v AS SELECT * FROM users", "contains the unexpected view v"},
		"view of versions":    {"DROP TABLE goose_db_version; CREATE VIEW goose_db_version AS " + endless + "i AS version_id FROM n", "contains the unexpected view goose_db_version"},
		"view for a table":    {"DROP TABLE variables; CREATE VIEW variables AS " + endless + "i AS player_id, i AS key, i AS value FROM n", "contains the unexpected view variables"},
		"virtual table":       {"CREATE VIRTUAL TABLE v USING rtree(id, a, b)", "contains the unexpected table v"},
		"table":               {"CREATE TABLE notes (x)", "contains the unexpected table notes"},
		"no table":            {"DROP TABLE variables", "does not contain the table variables"},
		"index":               {"CREATE INDEX i ON users (lower(email))", "contains the unexpected index i"},
		"no index":            {"DROP INDEX answers_age", "does not contain the index answers_age"},
		"other index":         {"DROP INDEX answers_age; CREATE INDEX answers_age ON answers (created_at) WHERE length(zeroblob(900000000)) > 1", "its index answers_age differs"},
		"column":              {"ALTER TABLE users ADD COLUMN more TEXT", "its table users differs"},
		"computed column":     {"ALTER TABLE users ADD COLUMN more TEXT AS (upper(email))", "its table users differs"},
		"check":               {"DROP TABLE variables; CREATE TABLE variables (player_id TEXT, key TEXT, value TEXT CHECK (length(randomblob(900000000)) > 1))", "its table variables differs"},
		"other versions":      {"ALTER TABLE goose_db_version ADD COLUMN more TEXT", "its table goose_db_version differs"},
		"other default":       {"DROP TABLE goose_db_version; CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id, is_applied, tstamp DEFAULT (randomblob(900000000))); INSERT INTO goose_db_version VALUES (1, " + newest + ", 1, 1)", "its table goose_db_version differs"},
		"hidden index":        {"CREATE INDEX i ON users (email); PRAGMA writable_schema = ON; UPDATE sqlite_master SET name = 'sqlite_i', sql = 'CREATE INDEX sqlite_i ON users (email)' WHERE name = 'i'", "contains the unexpected index sqlite_i"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := closedDatabase(t)
			execRaw(t, path, c.statements)
			before, _ := os.ReadFile(path)
			checkForeign(t, path, c.want)
			after, _ := os.ReadFile(path)
			assert.Equal(t, string(after), string(before), "the file was changed")
		})
	}
}

// checkForeign checks that a database is neither opened nor reported as sound.
func checkForeign(t *testing.T, path, want string) {
	t.Helper()
	_, opened := Open(t.Context(), Options{Path: path})
	for _, err := range []error{opened, CheckDatabase(t.Context(), path), copyFile(t, path, filepath.Join(t.TempDir(), "copy"))} {
		for _, part := range []string{want, path, errForeignSchema.Error()} {
			assert.ErrorContains(t, err, part)
		}
	}
	assert.True(t, opened == nil || strings.Contains(opened.Error(), "restore"), "%v names no way out", opened)
}

// TestTriggerBeforeFirstMigration: an interrupted first start may contain nothing else.
func TestTriggerBeforeFirstMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	execRaw(t, path, "CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')))",
		"CREATE TRIGGER t AFTER INSERT ON goose_db_version BEGIN INSERT INTO goose_db_version (version_id, is_applied) VALUES (7, 1); END")
	_, err := Open(t.Context(), Options{Path: path})
	assert.ErrorContains(t, err, "trigger t")
}

// TestOpenKeepsHelp: tables of ANALYZE and effects of VACUUM are accepted.
func TestOpenKeepsHelp(t *testing.T) {
	path := closedDatabase(t)
	execRaw(t, path, "ANALYZE", "VACUUM")
	s := openAt(t, Options{Path: path})
	assert.Equal(t, countRows(t, s, "users"), 1, "users")
}

// TestOpenKeepsLitestream: the tables of Litestream are accepted, other objects are not.
func TestOpenKeepsLitestream(t *testing.T) {
	path, restored := closedDatabase(t), filepath.Join(t.TempDir(), "restored")
	execRaw(t, path, "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)", "CREATE TABLE _litestream_lock (id INTEGER)", "INSERT INTO _litestream_seq VALUES (1, 1)")
	copied := filepath.Join(t.TempDir(), "copy")
	assert.NoError(t, copyFile(t, path, copied))
	assert.NoError(t, importFile(t, copied, restored))
	for _, file := range []string{path, copied, restored} {
		assert.NoError(t, CheckDatabase(t.Context(), file))
		assert.Equal(t, countRows(t, openAt(t, Options{Path: file}), "users"), 1, "users")
	}
	for _, statement := range []string{
		"CREATE TABLE _litestream_lock (id INTEGER, more TEXT)",
		"CREATE VIEW _litestream_lock AS SELECT 1 AS id",
		"CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER CHECK (seq > 0))",
		"CREATE TABLE _litestream_lock (id INTEGER); CREATE TRIGGER t AFTER INSERT ON _litestream_lock BEGIN DELETE FROM users; END",
	} {
		path := closedDatabase(t)
		execRaw(t, path, statement)
		checkRefuses(t, statement, CheckDatabase(t.Context(), path), errForeignSchema)
		checkRefuses(t, statement, importFile(t, path, filepath.Join(t.TempDir(), "to")), errForeignSchema)
	}
}

// laterSteps are the migrations of a parley with one more version.
func laterSteps(t *testing.T) schemaSteps {
	t.Helper()
	files := fstest.MapFS{"99999_later.sql": {Data: []byte("-- +goose Up\n" +
		"ALTER TABLE users ADD COLUMN nick TEXT NOT NULL DEFAULT '';\n" +
		"ALTER TABLE variables RENAME COLUMN value TO text;\n" +
		"ALTER TABLE route RENAME TO routes;\n" +
		"CREATE TABLE notes (id TEXT PRIMARY KEY, user_id TEXT NOT NULL REFERENCES users (id));\n" +
		"CREATE INDEX notes_user ON notes (user_id);\n")}}
	own := ownSteps().files
	names := assert.Value(fs.Glob(own, "*.sql"))(t)
	for _, name := range names {
		content := assert.Value(fs.ReadFile(own, name))(t)
		files[name] = &fstest.MapFile{Data: content}
	}
	return schemaSteps{files}
}

// writeEarlier writes a database with the migrations up to a version.
func writeEarlier(t *testing.T, steps schemaSteps, version int64) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "parley.db")
	pool := assert.Value(openPool(fileURI(path)+commonOptions, 1))(t)
	assert.NoError(t, steps.migrateSchemaTo(t.Context(), pool, version))
	assert.Value(pool.Exec("INSERT INTO users (id, email, display_name) VALUES ('alice', 'a@example.com', 'Alice')"))(t)
	assert.NoError(t, pool.Close())
	return path
}

// TestEarlierVersions: a database of each earlier version is migrated, also after a restore.
func TestEarlierVersions(t *testing.T) {
	steps := laterSteps(t)
	for version := int64(1); version <= ownSteps().newest(); version++ {
		path, restored := writeEarlier(t, steps, version), filepath.Join(t.TempDir(), "restored")
		assert.NoError(t, importFile(t, path, restored))
		for _, file := range []string{path, path, restored, restored} {
			s := assert.Value(Open(t.Context(), Options{Path: file, steps: steps}))(t)
			var nick string
			var applied int64
			assert.NoError(t, inSQLite(s).readers.QueryRow("SELECT nick, (SELECT max(version_id) FROM goose_db_version) FROM users WHERE id = 'alice'").Scan(&nick, &applied))
			assert.Equal(t, applied, steps.newest(), "version %d became", version)
			assert.NoError(t, s.Close())
		}
	}
	_, err := Open(t.Context(), Options{Path: writeEarlier(t, steps, steps.newest())})
	assert.ErrorContains(t, err, "newer parley", "a later version")
}

// TestEarlierVersionsAreLookedAt: changes to an earlier version are found before migrations.
func TestEarlierVersionsAreLookedAt(t *testing.T) {
	path := writeEarlier(t, ownSteps(), 1)
	execRaw(t, path, "CREATE TRIGGER t AFTER UPDATE ON users BEGIN DELETE FROM users; END")
	_, err := Open(t.Context(), Options{Path: path, steps: laterSteps(t)})
	assert.ErrorContains(t, err, "trigger t")
}

// TestSchemaNeverChanges: existing databases have the schema of their version as it was made then.
// A released migration, or a goose with another table, must not change what this test reads.
func TestSchemaNeverChanges(t *testing.T) {
	hashes := map[int64]string{
		1: "b24bd20bc2e02b7958226f1214b569fda64b94efbcc6b1adbedf910772a72dff",
		2: "0860c6245f0e1e408b663978873d2791cfeb228e114b783a8a7c429e6012d6dd",
		3: "fd19f1db5b583b8f93c5e8ff371ff24adf2456df52aa7c0476c673bfeaf8dcfa",
		4: "04fe007a79982ec00fcecc046f677d314ef58a636689581f8ba57962cdf12436",
		5: "c39e6a9b6ae3982bf4288994b85f2abd7096b327cc3d20aa16fd9cb2450491b1",
	}
	for version := int64(1); version <= ownSteps().newest(); version++ {
		statements := assert.Value(ownSteps().describeSchema(t.Context(), version))(t)
		assert.True(t, statements["table "+versionTable] == versionTableText, "goose makes another table: %s", statements["table "+versionTable])
		delete(statements, "table "+versionTable)
		sum := sha256.New()
		for _, name := range slices.Sorted(maps.Keys(statements)) {
			_, _ = sum.Write([]byte(name + "\n" + statements[name] + "\n"))
		}
		switch got := hex.EncodeToString(sum.Sum(nil)); {
		case hashes[version] == "":
			t.Errorf("schema version %d is new: add its hash %s", version, got)
		case got != hashes[version]:
			t.Errorf("schema version %d has the hash %s, not %s", version, got, hashes[version])
		}
	}
}

// TestAsidesAreAdded: a database of the first version is migrated, and keeps its rows.
func TestAsidesAreAdded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	pool := assert.Value(openPool(fileURI(path)+commonOptions, 1))(t)
	assert.NoError(t, ownSteps().migrateSchemaTo(t.Context(), pool, 1))
	assert.NoError(t, pool.Close())
	execRaw(t, path,
		"PRAGMA foreign_keys = OFF",
		"INSERT INTO sessions VALUES ('s', 'p', 'm', 'x', 1, 0, 'here', 2, 1, TRUE, '', 3, 4, '', 0, 'Kim', 'female', 5, 6)",
		"INSERT INTO messages VALUES ('s', 0, 'i', 'assistant', 'Halt!', 'here', 2, '', FALSE, 7, '')")
	s := openAt(t, Options{Path: path})
	var state string
	var asides int
	var aside bool
	assert.NoError(t, inSQLite(s).writer.QueryRow("SELECT state, asides FROM sessions WHERE id = 's'").Scan(&state, &asides))
	assert.NoError(t, inSQLite(s).writer.QueryRow("SELECT aside FROM messages WHERE session_id = 's'").Scan(&aside))
	assert.True(t, state == "here" && asides == 0 && !aside, "%q with %d asides, message %t", state, asides, aside)
}
