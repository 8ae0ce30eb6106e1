package datafolder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"

	"github.com/parley-npc/parley/personas/atomicfile"
)

// ErrBusy is the refusal of a data folder on which another server runs.
var ErrBusy = errors.New("another local server runs on this data folder, stop it or name another folder")

const lockFile = "server.lock"

// LockFolder locks a data folder for this process. The system holds the locks, on the folder itself
// and on a file in it, and releases them when the process ends for any reason. The file alone is
// not enough: if it is removed, a second process can lock another file of the same name. Windows
// cannot lock folders, but does not remove a locked file.
func LockFolder(dir string) (unlock func() error, err error) {
	unlockFolder, err := lockItself(dir)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, unlockFolder())
		}
	}()
	path := filepath.Join(dir, lockFile)
	if err := atomicfile.CheckNew(path); err != nil {
		return nil, fmt.Errorf("lock the data folder: %w", err)
	}
	l := flock.New(path, flock.SetPermissions(0o600))
	ours, err := l.TryLock()
	switch {
	case err != nil:
		return nil, fmt.Errorf("lock the data folder: %w", err)
	case !ours:
		return nil, fmt.Errorf("%s: %w", dir, ErrBusy)
	}
	return func() error { return errors.Join(l.Close(), unlockFolder()) }, nil
}

// lockItself locks the folder. If the file system cannot lock folders (NFS), it does not fail, and
// only the lock file counts.
func lockItself(dir string) (unlock func() error, err error) {
	if runtime.GOOS == "windows" {
		return func() error { return nil }, nil
	}
	l := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	ours, err := l.TryLock()
	if err == nil && !ours {
		return nil, fmt.Errorf("%s: %w", dir, ErrBusy)
	}
	return l.Close, nil
}

// IsLocked reports whether a process has the folder. It makes nothing in it.
func IsLocked(dir string) bool {
	lock := LockFolder
	if !isThere(filepath.Join(dir, lockFile)) {
		lock = lockItself
	}
	unlock, err := lock(dir)
	if err != nil {
		return errors.Is(err, ErrBusy)
	}
	_ = unlock() // The system lets go of it at the end of the process anyway.
	return false
}
