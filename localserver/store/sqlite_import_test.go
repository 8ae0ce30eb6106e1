package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestImportRefusesForeignCells: a value that the program would not write is refused with
// its table and column, and nothing is made.
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
		"nothing for a name": {"PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'email        TEXT NOT NULL', 'email        TEXT         ') WHERE name = 'users'; PRAGMA writable_schema = RESET; INSERT INTO users VALUES ('u', NULL, 'n')", "users.email"},
		"number in a text":   {"PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'email        TEXT NOT NULL', 'email        REAL NOT NULL') WHERE name = 'users'; PRAGMA writable_schema = RESET; INSERT INTO users VALUES ('u', 1.5, 'n')", "table users, column email has a value of type real"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path, to := closedDatabase(t), filepath.Join(t.TempDir(), "to")
			execRaw(t, path, c.statement)
			err := ImportDatabase(t.Context(), path, to, nil)
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
	assert.NoError(t, ImportDatabase(t.Context(), path, to, nil))
}

// TestImportAsksNoConstraints: rows of a table with other constraints than ours are imported
// without evaluating the constraints, which here would refuse the row.
func TestImportAsksNoConstraints(t *testing.T) {
	path, to := closedDatabase(t), filepath.Join(t.TempDir(), "to")
	execRaw(t, path, "PRAGMA foreign_keys = OFF; DROP TABLE users; CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT CHECK (email = 'never'), display_name TEXT CHECK (length(zeroblob(900000000)) < 1));"+
		"PRAGMA ignore_check_constraints = ON; INSERT INTO users VALUES ('u', 'e', 'n')")
	assert.ErrorIs(t, CheckDatabase(t.Context(), path), errForeignSchema, "it is called well")
	assert.NoError(t, ImportDatabase(t.Context(), path, to, nil))
	s := openAt(t, Options{Path: to})
	assert.Equal(t, countRows(t, s, "users"), 1, "users")
}

// TestEveryColumnHasItsRule fails for a new column of a type without a rule, and for a limit of a
// missing column.
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
