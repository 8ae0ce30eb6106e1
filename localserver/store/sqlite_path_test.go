package store

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// longPath returns the path of a database in a new directory, with exactly size bytes.
func longPath(t *testing.T, size int) string {
	t.Helper()
	dir := assert.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	left := size - len(dir) - len("/parley.db")
	for ; left > 101; left -= 101 {
		dir = filepath.Join(dir, strings.Repeat("d", 100))
	}
	if left == 1 { // A name needs a slash and a byte.
		dir, left = dir[:len(dir)-1], 2
	}
	if left > 0 {
		dir = filepath.Join(dir, strings.Repeat("e", left-1))
	}
	return filepath.Join(dir, "parley.db")
}

// TestPathAtItsLimit: the longest path works, also with the log next to the database and for
// reading. One more byte is refused with the limit, and no file is created.
func TestPathAtItsLimit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders of Windows have limits of their own")
	}
	path := longPath(t, maxPath())
	s, err := Open(t.Context(), Options{Path: path})
	assert.NoError(t, err)
	assert.NoError(t, errors.Join(s.UpsertUser(t.Context(), alice), CheckDatabase(t.Context(), path), s.Close()))
	long := longPath(t, maxPath()+1)
	_, err = Open(t.Context(), Options{Path: long})
	checkTooLong(t, err)
	_, err = os.Stat(filepath.Dir(long))
	assert.ErrorIs(t, err, os.ErrNotExist, "its folder was made")
	checkTooLong(t, CheckDatabase(t.Context(), long))
	checkTooLong(t, CopyDatabase(t.Context(), path, long, nil))
}

func checkTooLong(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, ErrTooLong) || !strings.Contains(err.Error(), "505 bytes") || !strings.Contains(err.Error(), "at most 504") {
		t.Errorf("got %v", err)
	}
}

// TestPathOfLinks: the limit applies to the real path of the database, not to the given one.
func TestPathOfLinks(t *testing.T) {
	long := filepath.Dir(longPath(t, maxPath()+40))
	assert.NoError(t, os.MkdirAll(long, 0o700))
	short := filepath.Join(t.TempDir(), "short")
	if err := os.Symlink(long, short); err != nil {
		t.Skip("no links here: ", err)
	}
	assert.ErrorIs(t, CheckPath(filepath.Join(short, "new", "parley.db")), ErrTooLong)
}

// TestLongNames: the error for a name that is too long for the disk contains that reason.
func TestLongNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows calls such a name wrong, not long")
	}
	_, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), strings.Repeat("n", 300), "parley.db")})
	assert.True(t, errors.Is(err, ErrTooLong) && strings.Contains(err.Error(), "255 bytes"), "got %v", err)
}
