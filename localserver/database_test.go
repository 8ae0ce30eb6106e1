package localserver

import (
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/datafolder"
	"github.com/parley-npc/parley/localserver/store/storetest"
	"github.com/parley-npc/parley/personas/assert"
)

// dump returns everything that the server has stored: the rows of each table, in order.
func dump(t testing.TB, h *harness) map[string][]string {
	t.Helper()
	db, list, err := openDatabase(h)
	assert.NoError(t, err)
	defer func() { _ = db.Close() }()
	all := map[string][]string{}
	names := query(t, db, list)
	for _, name := range names {
		all[name] = query(t, db, "SELECT * FROM "+name)
		slices.Sort(all[name])
	}
	return all
}

// openDatabase opens a server's database directly, and returns the query for the names of its
// tables.
func openDatabase(h *harness) (db *sql.DB, list string, err error) {
	if h.database != "" {
		db, err = storetest.OpenPool(h.database)
		return db, "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_name <> 'parley_migrations'", err
	}
	file := url.URL{Scheme: "file", Path: filepath.ToSlash(datafolder.DatabaseFile(h.Dir())), RawQuery: "mode=ro"}
	db, err = sql.Open("sqlite3", file.String())
	return db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'goose_db_version'", err
}

// query returns each row as one text.
func query(t testing.TB, db *sql.DB, text string) (rows []string) {
	t.Helper()
	found, err := db.QueryContext(t.Context(), text)
	assert.NoError(t, err)
	defer func() { _ = found.Close() }()
	columns := assert.Value(found.Columns())(t)
	for found.Next() {
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		assert.NoError(t, found.Scan(into...))
		var row []string
		for _, v := range values {
			row = append(row, v.String)
		}
		rows = append(rows, strings.Join(row, "|"))
	}
	assert.NoError(t, found.Err())
	return rows
}

// traces returns the rows, as table and row, that contain a text.
func traces(tables map[string][]string, text string) (found []string) {
	for name, rows := range tables {
		for _, row := range rows {
			if strings.Contains(row, text) {
				found = append(found, fmt.Sprintf("%s: %.200s", name, row))
			}
		}
	}
	return found
}

// TestStartTellsUnfinishedRestore: a server on a database with an unfinished restore reports that
// in its log, and one on any other database does not.
func TestStartTellsUnfinishedRestore(t *testing.T) {
	var address string
	h := begin(t, inPostgres(t), func(o *Options) { address = o.Database.Address })
	assert.NotContains(t, h.journal.String(), "restore", "it is told of none")
	pool := assert.Value(sql.Open("pgx", address))(t)
	assert.Value(pool.ExecContext(t.Context(), "CREATE TABLE restored_personas (LIKE personas)"))(t)
	assert.NoError(t, pool.Close())
	again := begin(t, func(o *Options) { o.Database.Address = address })
	assert.Contains(t, again.journal.String(), "run the restore again, or drop the tables restored_*", "not told")
}
