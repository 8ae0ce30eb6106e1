package cassette

import (
	"errors"
	"fmt"
	"os"

	"github.com/gofrs/flock"

	"github.com/parley-npc/parley/personas/atomicfile"
)

// ErrBusy means that another recorder is writing to the file.
var ErrBusy = errors.New("another process is recording to this file: wait until it ends, or use another file")

// lockFile locks a cassette for this recorder. It locks a separate file, because on some systems a
// locked file cannot be read.
func lockFile(path string) (unlock func(), err error) {
	for {
		if err := atomicfile.CheckNew(path + ".lock"); err != nil {
			return nil, fmt.Errorf("starting the recording %s: %w", path, err)
		}
		l := flock.New(path+".lock", flock.SetPermissions(0o600))
		ours, err := l.TryLock()
		switch {
		case err != nil:
			return nil, fmt.Errorf("starting the recording %s: %w", path, dropPath(err))
		case !ours:
			return nil, fmt.Errorf("%s: %w", path, ErrBusy)
		case isSameFile(l):
			return func() { releaseLock(l) }, nil
		}
		// The previous owner has just removed the lock file, so try again with a new one.
		_ = l.Close()
	}
}

// isSameFile reports whether the locked file is still the file at its path. If it is not, another
// process could lock the new file.
func isSameFile(l *flock.Flock) bool {
	locked, err := l.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(l.Path())
	return err == nil && os.SameFile(locked, there)
}

// releaseLock removes the lock file and then unlocks it. On systems that cannot remove an open
// file, it unlocks the file first. A remaining lock file is harmless.
func releaseLock(l *flock.Flock) {
	before := os.Remove(l.Path())
	_ = l.Close()
	if before != nil {
		_ = os.Remove(l.Path())
	}
}
