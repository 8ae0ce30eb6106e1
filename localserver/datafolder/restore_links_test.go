package datafolder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
)

// TestRestoreIntoLinks: a restore into a database that has another name is refused while the other
// name exists; into a symbolic link it creates the link's target, and is refused while a server
// uses the folder of that file.
func TestRestoreIntoLinks(t *testing.T) {
	snapshot, dir, other := writeSample(t), t.TempDir(), t.TempDir()
	restore := func(path string) error {
		_, err := RestoreSnapshot(t.Context(), snapshot, Place{Path: path}, true, time.Now(), nil)
		return err
	}
	assert.NoError(t, restore(DatabaseFile(dir)))
	hard, soft := filepath.Join(other, "h.db"), filepath.Join(other, "s.db")
	if err := errors.Join(os.Link(DatabaseFile(dir), hard), os.Symlink(DatabaseFile(dir), soft)); err != nil {
		t.Skip("no links here: ", err)
	}
	assert.ErrorIs(t, restore(hard), store.ErrLinked, "a hard link")
	assert.NoError(t, os.Remove(hard))
	unlock := assert.Value(LockFolder(dir))(t)
	assert.ErrorIs(t, restore(soft), ErrBusy, "a symbolic link to a database in use")
	assert.NoError(t, unlock())
	assert.NoError(t, restore(soft), "a symbolic link")
	if info, err := os.Lstat(soft); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link is %v: %v", info.Mode(), err)
	}
}
