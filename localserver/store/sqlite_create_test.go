package store

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestHardLinks: a database with two names is neither opened nor copied nor called whole,
// and it is again once it has one. Nothing is made beside the other name.
func TestHardLinks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	s := assert.Value(Open(t.Context(), Options{Path: path}))(t)
	assert.NoError(t, errors.Join(s.UpsertUser(t.Context(), alice), s.Close()))
	other := filepath.Join(t.TempDir(), "h.db")
	if err := os.Link(path, other); err != nil {
		t.Skip("no links here: ", err)
	}
	for _, name := range []string{path, other} {
		_, err := Open(t.Context(), Options{Path: name})
		checkRefuses(t, "opened", err, ErrLinked)
		checkRefuses(t, "checked", CheckDatabase(t.Context(), name), ErrLinked)
		checkRefuses(t, "copied", CopyDatabase(t.Context(), name, filepath.Join(t.TempDir(), "copy"), nil), ErrLinked)
	}
	if there, err := os.ReadDir(filepath.Dir(other)); err != nil || len(there) != 1 {
		t.Errorf("beside the link there is %v: %v", there, err)
	}
	assert.NoError(t, os.Remove(other))
	s = openAt(t, Options{Path: path})
	assert.Equal(t, countRows(t, s, "users"), 1, "its rows are gone")
}

// TestLeftNames: a name that a start or a restore left when it was cut off does not stop the
// next start, and is removed; files of others that are called so stay.
func TestLeftNames(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "parley.db")
	s := assert.Value(Open(t.Context(), Options{Path: path}))(t)
	assert.NoError(t, s.Close())
	own := filepath.Join(dir, "parley.db.before-20260101-000000.000")
	assert.NoError(t, os.WriteFile(own, []byte("older data"), 0o600))
	if err := os.Link(path, filepath.Join(dir, ".parley.db-123")); err != nil {
		t.Skip("no links here: ", err)
	}
	assert.NoError(t, os.Link(path, filepath.Join(dir, "parley.db.before-20260102-000000.000")))
	s = assert.Value(Open(t.Context(), Options{Path: path}))(t)
	assert.NoError(t, s.Close())
	there, err := os.ReadDir(dir)
	if err != nil || len(there) != 2 || there[0].Name() != "parley.db" || there[1].Name() != filepath.Base(own) {
		t.Errorf("there is %v: %v", there, err)
	}
}
