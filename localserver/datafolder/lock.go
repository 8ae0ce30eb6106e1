package datafolder

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/parley-npc/parley/personas/atomicfile"
)

// ErrBusy is the refusal of a data folder on which another server runs.
var ErrBusy = errors.New("another local server runs on this data folder, stop it or name another folder")

const lockFile = "server.lock"

// LockFolder makes a data folder this process's. The system holds the lock and lets
// go of it when the process ends, however it ends, so the file itself means
// nothing and stays where it is: removing it would let two processes lock two
// files of the same name.
func LockFolder(dir string) (unlock func() error, err error) {
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
	return l.Close, nil
}

// IsLocked tells whether a process has the folder, and makes nothing in it.
func IsLocked(dir string) bool {
	if !isThere(filepath.Join(dir, lockFile)) {
		return false
	}
	unlock, err := LockFolder(dir)
	if err != nil {
		return errors.Is(err, ErrBusy)
	}
	_ = unlock() // The system lets go of it at the end of the process anyway.
	return false
}
