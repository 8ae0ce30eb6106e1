//go:build cgo

package db

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3" // the driver
)

// nodesFiles have the queries of the tables that only servers of one PostgreSQL share.
var nodesFiles = []string{"callers.sql.go", "calls.sql.go", "nodes.sql.go", "provider.sql.go"}

// TestQueriesOnSQLite: SQLite accepts every query, and numbers its parameters as PostgreSQL does.
func TestQueriesOnSQLite(t *testing.T) {
	on := openSchema(t)
	for name, query := range readQueries(t) {
		t.Run(name, func(t *testing.T) {
			statement, err := sqlite{on}.PrepareContext(t.Context(), query)
			if err != nil {
				t.Fatal(err)
			}
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
		if parameter != fmt.Sprint("$", i+1) {
			t.Fatalf("parameters appear in the order %v", seen)
		}
	}
}

// openSchema opens an empty database with the newest schema.
func openSchema(t *testing.T) *sql.DB {
	t.Helper()
	on, err := sql.Open("sqlite3", filepath.Join(t.TempDir(), "parley.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = on.Close() })
	for _, text := range readFiles(t, "../migrations/*.sql") {
		if _, err := on.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	return on
}

// readQueries returns the generated statements for SQLite by the names of their constants.
func readQueries(t *testing.T) map[string]string {
	t.Helper()
	queries := map[string]string{}
	constant := regexp.MustCompile("(?s)const (\\w+) = `(.*?)`")
	for _, text := range readFiles(t, "*.sql.go", nodesFiles...) {
		for _, found := range constant.FindAllStringSubmatch(text, -1) {
			queries[found[1]] = found[2]
		}
	}
	return queries
}

func readFiles(t *testing.T, pattern string, except ...string) (texts []string) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files %s: %v", len(names), pattern, err)
	}
	for _, name := range names {
		if slices.Contains(except, name) {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, strings.ReplaceAll(string(text), "\r\n", "\n"))
	}
	return texts
}
