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

// ErrBusy means that another server uses the data folder.
var ErrBusy = errors.New("another local server uses this data folder: stop it or use another folder")

const lockFile = "server.lock"

// LockFolder locks the folder itself and a file in it. Locking only the file is not enough: after
// the file was removed, another process could create and lock a new one. Windows cannot lock
// folders, but does not allow a locked file to be removed. The system releases the locks when the
// process ends.
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

// lockItself locks the folder itself. It also succeeds on file systems that cannot lock folders
// (NFS). There only the lock file protects the folder.
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

// IsLocked reports whether a process has locked the folder. It does not create files.
func IsLocked(dir string) bool {
	lock := LockFolder
	if !isThere(filepath.Join(dir, lockFile)) {
		lock = lockItself
	}
	unlock, err := lock(dir)
	if err != nil {
		return errors.Is(err, ErrBusy)
	}
	_ = unlock() // The operating system releases the lock at the end of the process anyway.
	return false
}
