package datafolder

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/store"
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
	if err := restore(DatabaseFile(dir)); err != nil {
		t.Fatal(err)
	}
	hard, soft := filepath.Join(other, "h.db"), filepath.Join(other, "s.db")
	if err := errors.Join(os.Link(DatabaseFile(dir), hard), os.Symlink(DatabaseFile(dir), soft)); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := restore(hard); !errors.Is(err, store.ErrLinked) {
		t.Errorf("a hard link: %v", err)
	}
	if err := os.Remove(hard); err != nil {
		t.Fatal(err)
	}
	unlock, err := LockFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := restore(soft); !errors.Is(err, ErrBusy) {
		t.Errorf("a symbolic link to a database in use: %v", err)
	}
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if err := restore(soft); err != nil {
		t.Errorf("a symbolic link: %v", err)
	}
	if info, err := os.Lstat(soft); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link is %v: %v", info.Mode(), err)
	}
}
