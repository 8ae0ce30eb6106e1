package store

import (
	"path/filepath"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

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
