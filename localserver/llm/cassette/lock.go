package cassette

import (
	"errors"
	"fmt"
	"os"

	"github.com/gofrs/flock"

	"github.com/parley-npc/parley/personas/atomicfile"
)

// ErrBusy is the refusal of a file to which another recorder writes.
var ErrBusy = errors.New("another recording to this file is going on: wait for its end, or name another file")

// lockFile locks a cassette for this recorder, with a separate lock file: on some systems a locked
// file cannot be read. The system releases the lock when the process ends for any reason.
func lockFile(path string) (unlock func(), err error) {
	for {
		if err := atomicfile.CheckNew(path + ".lock"); err != nil {
			return nil, fmt.Errorf("begin the recording %s: %w", path, err)
		}
		l := flock.New(path+".lock", flock.SetPermissions(0o600))
		ours, err := l.TryLock()
		switch {
		case err != nil:
			return nil, fmt.Errorf("begin the recording %s: %w", path, dropPath(err))
		case !ours:
			return nil, fmt.Errorf("%s: %w", path, ErrBusy)
		case isSameFile(l):
			return func() { releaseLock(l) }, nil
		}
		// The previous owner has just removed the file: try the new one.
		_ = l.Close()
	}
}

// isSameFile reports whether the locked file is still the one at the path,
// which others would lock.
func isSameFile(l *flock.Flock) bool {
	locked, err := l.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(l.Path())
	return err == nil && os.SameFile(locked, there)
}

// releaseLock removes the lock file while it is still locked, or afterwards on systems that cannot
// remove an open file. A remaining file locks nothing.
func releaseLock(l *flock.Flock) {
	before := os.Remove(l.Path())
	_ = l.Close()
	if before != nil {
		_ = os.Remove(l.Path())
	}
}
