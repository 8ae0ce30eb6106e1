package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

func copyFile(t *testing.T, from, to string) error {
	_, err := CopyDatabase(t.Context(), from, to, nil)
	return err
}

func importFile(t *testing.T, from, to string) error {
	_, err := ImportDatabase(t.Context(), from, to, nil)
	return err
}

// TestCopyWhileWriting: a copy taken during writes holds a prefix of them, and needs no log.
func TestCopyWhileWriting(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "parley.db")
	s := openAt(t, Options{Path: path, Durability: Normal})
	stop := make(chan struct{})
	var writers sync.WaitGroup
	writers.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			u := alice
			u.ID, u.Email = fmt.Sprintf("user-%06d", i), fmt.Sprintf("u%d@example.com", i)
			if err := s.UpsertUser(t.Context(), u); err != nil {
				t.Error(err)
				return
			}
		}
	})
	last := 0
	for i := range 10 {
		to := filepath.Join(folder, fmt.Sprint("copy", i))
		assert.NoError(t, copyFile(t, path, to))
		assert.True(t, !HasPendingLog(to), "the copy has a log beside it")
		n := usersOf(t, to)
		assert.True(t, n >= last, "copy %d has %d users, the one before had %d", i, n, last)
		last = n
	}
	close(stop)
	writers.Wait()
}

// usersOf counts the users of a copy, and checks that their names have no gap.
func usersOf(t *testing.T, path string) int {
	t.Helper()
	s := openAt(t, Options{Path: path})
	n := countRows(t, s, "users")
	var high int
	assert.NoError(t, inSQLite(s).readers.QueryRow("SELECT count(*) FROM users WHERE id < ?", fmt.Sprintf("user-%06d", n)).Scan(&high))
	assert.Equal(t, high, n, "the copy")
	return n
}

// TestCopyRefuses: existing targets, foreign files and damaged databases are refused.
func TestCopyRefuses(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "parley.db")
	s := assert.Value(Open(t.Context(), Options{Path: path}))(t)
	for i := range 300 {
		u := alice
		u.ID, u.Email = fmt.Sprintf("user-%06d", i), fmt.Sprintf("u%d@example.com", i)
		assert.NoError(t, s.UpsertUser(t.Context(), u))
	}
	assert.NoError(t, s.Close())
	writeFile(t, filepath.Join(folder, "there"), "mine")
	assert.ErrorIs(t, copyFile(t, path, filepath.Join(folder, "there")), fs.ErrExist, "over a file")
	text, _ := os.ReadFile(filepath.Join(folder, "there"))
	assert.Equal(t, string(text), "mine", "the file is now")
	writeFile(t, filepath.Join(folder, "empty"), "")
	assert.ErrorIs(t, copyFile(t, filepath.Join(folder, "empty"), filepath.Join(folder, "c1")), ErrEmptied, "of nothing")
	whole := assert.Value(os.ReadFile(path))(t)
	for i := range 4096 {
		whole[len(whole)-8192+i] ^= 0xa5
	}
	writeFile(t, path, string(whole))
	assert.ErrorIs(t, copyFile(t, path, filepath.Join(folder, "c2")), ErrDamaged, "a damaged database")
	for _, name := range []string{"c1", "c2"} {
		t.Run(name, func(t *testing.T) {
			_, err := os.Stat(filepath.Join(folder, name))
			assert.ErrorIs(t, err, fs.ErrNotExist, "%s stays behind", name)
		})
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	assert.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// TestImportTellsProgress: a restore into a file reports as much progress as one into PostgreSQL:
// each step is greater than the one before, and the last is the total.
func TestImportTellsProgress(t *testing.T) {
	var steps []int64
	var tables []string
	assert.Value(ImportDatabase(t.Context(), manyRows(t, 5000, 100), filepath.Join(t.TempDir(), "to"), func(table string, done, total int64) {
		assert.Equal(t, total, 5025, done)
		steps, tables = append(steps, done), append(tables, table)
	}))(t)
	assert.Must(t, len(steps) == 11, "told: %v, %v", steps, tables)
	assert.True(t, slices.IsSorted(steps), "told: %v, %v", steps, tables)
	assert.Equal(t, steps[10], 5025)
	assert.True(t, slices.Contains(tables, "messages"), "told: %v, %v", steps, tables)
}

// TestCopyRefusesDamage: a database with rows that a restore would lose is neither copied nor
// reported as sound. A server may use it meanwhile.
func TestCopyRefusesDamage(t *testing.T) {
	const persona = "INSERT INTO users VALUES ('u', 'e', 'n'); INSERT INTO personas (id, owner_id, public, version, name, description, created_at, updated_at) VALUES ('p', 'u', 1, 1, 'n', 'd', 1, 1);"
	for name, c := range map[string]struct{ statements, want string }{
		"a row that names none":    {"PRAGMA foreign_keys = OFF; INSERT INTO variables VALUES ('nobody', 'a', 'b')", "a row of table variables refers to a missing row of table players"},
		"a value of another type":  {"INSERT INTO users VALUES ('u', x'00ff', 'n')", "table users, column email has a value of type blob"},
		"a value that is too long": {fmt.Sprintf("INSERT INTO users VALUES ('u', 'e', printf('%%.*c', %d, 'n'))", maxCell+1), "table users, column display_name has a value of 1048577 bytes"},
		"an index that lacks a row": {persona + "PRAGMA writable_schema = ON; CREATE TABLE aside AS SELECT * FROM sqlite_master WHERE name = 'personas_owner'; DELETE FROM sqlite_master WHERE name = 'personas_owner'; PRAGMA writable_schema = RESET;" +
			"UPDATE personas SET owner_id = owner_id, created_at = 2; PRAGMA writable_schema = ON; INSERT INTO sqlite_master SELECT * FROM aside; PRAGMA writable_schema = RESET; DROP TABLE aside", "personas_owner"},
	} {
		t.Run(name, func(t *testing.T) {
			path, to := closedDatabase(t), filepath.Join(t.TempDir(), "to")
			execRaw(t, path, c.statements)
			for what, err := range map[string]error{"copy": copyFile(t, path, to), "check": CheckDatabase(t.Context(), path)} {
				assert.ErrorIs(t, err, ErrDamaged, "%s: got %v, want %q", what, err, c.want)
				assert.ErrorContains(t, err, c.want)
				assert.ErrorContains(t, err, path)
				assert.NotContains(t, fmt.Sprint(err), to)
			}
			left, err := os.ReadDir(filepath.Dir(to))
			assert.True(t, err == nil && len(left) == 0, "%v stays behind: %v", left, err)
		})
	}
}

// TestImportRefusesForeignCells: a value that the program would not write is refused.
func TestImportRefusesForeignCells(t *testing.T) {
	const persona = "INSERT INTO users VALUES ('u', 'e', 'n'); INSERT INTO personas (id, owner_id, public, version, name, description, created_at, updated_at) VALUES "
	cases := map[string]struct{ statement, want string }{
		"text for a number":  {persona + "('p', 'u', 1, 'first', 'n', 'd', 1, 1)", "table personas, column version has a value of type text instead of integer"},
		"real for a time":    {persona + "('p', 'u', 1, 1, 'n', 'd', 1.5, 1)", "table personas, column created_at has a value of type real"},
		"text for a truth":   {persona + "('p', 'u', 'yes', 1, 'n', 'd', 1, 1)", "table personas, column public has a value of type text"},
		"bytes for a text":   {"INSERT INTO users VALUES ('u', x'00ff', 'n')", "table users, column email has a value of type blob instead of text"},
		"bytes for an id":    {"INSERT INTO users VALUES (x'00ff', 'e', 'n')", "table users, column id has a value of type blob"},
		"bytes for a number": {persona + "('p', 'u', 1, 1, 'n', 'd', 1, zeroblob(9))", "table personas, column updated_at has a value of type blob"},
		"text for bytes":     {persona + "('p', 'u', 1, 1, 'n', 'd', 1, 1); INSERT INTO answers VALUES (1, 's', 'k', 'h', 'text', 'p', 1, NULL, NULL)", "table answers, column answer has a value of type text instead of blob"},
		"a long name":        {fmt.Sprintf("INSERT INTO users VALUES ('u', 'e', printf('%%.*c', %d, 'n'))", maxCell+1), "table users, column display_name has a value of 1048577 bytes, the maximum is 1048576"},
		"a long document":    {fmt.Sprintf(persona+"('p', 'u', 1, 1, 'n', 'd', 1, 1); INSERT INTO persona_versions VALUES ('p', 1, printf('%%.*c', %d, 'n'))", maxDocument+1), "table persona_versions, column doc has a value of 67108865 bytes"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path, to := closedDatabase(t), filepath.Join(t.TempDir(), "to")
			execRaw(t, path, c.statement)
			err := importFile(t, path, to)
			assert.True(t, err != nil && strings.Contains(err.Error(), c.want) && strings.Contains(err.Error(), path),
				"got %v, want %q", err, c.want)
			_, err = os.Stat(to)
			assert.ErrorIs(t, err, os.ErrNotExist, "something was made")
		})
	}
}

// TestImportTakesLargestCells: cells of exactly the maximum length are accepted.
func TestImportTakesLargestCells(t *testing.T) {
	path, to := closedDatabase(t), filepath.Join(t.TempDir(), "to")
	execRaw(t, path, fmt.Sprintf("INSERT INTO users VALUES ('u', 'e', printf('%%.*c', %d, 'n'))", maxCell))
	assert.NoError(t, importFile(t, path, to))
}

// TestEveryColumnHasItsRule fails for a new column of a type without a rule.
func TestEveryColumnHasItsRule(t *testing.T) {
	s := openStore(t)
	seen := map[string]bool{}
	rows, err := inSQLite(s).readers.Query("SELECT m.name || '.' || c.name, c.type FROM sqlite_master AS m JOIN pragma_table_xinfo(m.name) AS c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'goose_db_version'")
	assert.NoError(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name, declared string
		assert.NoError(t, rows.Scan(&name, &declared))
		seen[name] = true
		assert.True(t, cellTypes[declared] != "", "%s has the type %q, for which there is no rule", name, declared)
	}
	assert.NoError(t, rows.Err())
	for name := range cellLimits {
		assert.True(t, seen[name], "there is no column %s", name)
	}
}
