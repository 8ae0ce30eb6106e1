//go:build cgo

package db

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3" // the driver

	"github.com/parley-npc/parley/personas/assert"
)

// nodesFiles have the queries of the tables that only servers of one PostgreSQL share.
var nodesFiles = []string{"callers.sql.go", "calls.sql.go", "nodes.sql.go", "provider.sql.go"}

// TestQueriesOnSQLite: SQLite accepts every query, and numbers its parameters as PostgreSQL does.
func TestQueriesOnSQLite(t *testing.T) {
	on := openSchema(t)
	for name, query := range readQueries(t) {
		t.Run(name, func(t *testing.T) {
			statement := assert.Value(sqlite{on}.PrepareContext(t.Context(), query))(t)
			defer func() { _ = statement.Close() }()
			checkOrder(t, sqliteText(query))
		})
	}
}

// checkOrder checks that the parameters of a statement appear in the order of their numbers:
// SQLite numbers them by first appearance, and PostgreSQL by their names.
func checkOrder(t *testing.T, query string) {
	t.Helper()
	var seen []string
	for _, parameter := range regexp.MustCompile(`\$\d+`).FindAllString(query, -1) {
		if !slices.Contains(seen, parameter) {
			seen = append(seen, parameter)
		}
	}
	for i, parameter := range seen {
		assert.Must(t, parameter == fmt.Sprint("$", i+1), "parameters appear in the order %v", seen)
	}
}

// openSchema opens an empty database with the newest schema.
func openSchema(t *testing.T) *sql.DB {
	t.Helper()
	on := assert.Value(sql.Open("sqlite3", filepath.Join(t.TempDir(), "parley.db")))(t)
	t.Cleanup(func() { _ = on.Close() })
	migrations := SQLiteMigrations()
	names, err := fs.Glob(migrations, "*.sql")
	assert.Must(t, err == nil && len(names) != 0, "%d migrations: %v", len(names), err)
	for _, name := range names {
		text := assert.Value(fs.ReadFile(migrations, name))(t)
		assert.Value(on.ExecContext(t.Context(), string(text)))(t)
	}
	return on
}

// readQueries returns the generated statements for SQLite by the names of their constants.
func readQueries(t *testing.T) map[string]string {
	t.Helper()
	queries := map[string]string{}
	constant := regexp.MustCompile("(?s)const (\\w+) = `(.*?)`")
	names, err := filepath.Glob("*.sql.go")
	assert.Must(t, err == nil && len(names) != 0, "%d generated files: %v", len(names), err)
	for _, name := range names {
		if slices.Contains(nodesFiles, name) {
			continue
		}
		text := assert.Value(os.ReadFile(name))(t)
		for _, found := range constant.FindAllStringSubmatch(string(text), -1) {
			queries[found[1]] = strings.ReplaceAll(found[2], "\r\n", "\n")
		}
	}
	return queries
}
