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

// lockFile makes a cassette this recorder's, with a file beside it: on some
// systems a locked file cannot be read. The system lets go of the lock when the
// process ends, however it ends.
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
		// Anybody who had it before has just taken the file away: try the new one.
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

// releaseLock takes the file away while it is still locked, or after, where an
// open file cannot be taken away. A file that stays locks nothing.
func releaseLock(l *flock.Flock) {
	before := os.Remove(l.Path())
	_ = l.Close()
	if before != nil {
		_ = os.Remove(l.Path())
	}
}
