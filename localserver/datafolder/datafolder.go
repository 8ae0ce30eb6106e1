// Package datafolder manages the folder of a server's data. It locks the folder, names the
// database, checks the database, and writes and restores snapshots.
package datafolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gofrs/flock"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/atomicfile"
)

// Memory is the path of a temporary data folder.
const Memory = ":memory:"

// DatabaseFile returns the path of the SQLite database in a data folder.
func DatabaseFile(dir string) string { return filepath.Join(dir, "parley.db") }

// DatabaseFiles returns the paths of the database and of SQLite's files with pending changes.
func DatabaseFiles(dir string) []string {
	file := DatabaseFile(dir)
	return []string{file, file + "-wal", file + "-shm"}
}

// IsUsed reports whether a data folder contains a database.
func IsUsed(dir string) bool { return isThere(DatabaseFile(dir)) }

func isThere(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// ResolveFile returns the target of a symbolic link, even if the target does not exist. The lock
// must be next to the target, because SQLite writes its log there.
func ResolveFile(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	target, err := os.Readlink(path)
	switch {
	case err != nil:
		return path
	case filepath.IsAbs(target):
		return target
	}
	return filepath.Join(filepath.Dir(path), target)
}

// Open creates and locks a data folder. For Memory, it creates a temporary folder. closeFolder
// unlocks the folder, and removes a temporary one. The error is ErrBusy if another server uses the
// folder.
func Open(data string) (dir string, closeFolder func() error, err error) {
	dir, remove := data, func() error { return nil }
	if data == Memory {
		if dir, err = os.MkdirTemp("", "parley-throwaway-*"); err != nil {
			return "", nil, err
		}
		remove = func() error { return os.RemoveAll(dir) }
	} else if err := prepareFolder(DatabaseFile(dir)); err != nil {
		return "", nil, err
	}
	unlock, err := LockFolder(dir)
	if err != nil {
		return "", nil, errors.Join(err, remove())
	}
	return dir, func() error { return errors.Join(unlock(), remove()) }, nil
}

func prepareFolder(path string) error {
	err := store.CheckPath(path)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	return nil
}

// Remove removes a data folder. The error is ErrBusy if a server uses the folder.
func Remove(dir string) error {
	unlock, err := LockFolder(dir)
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }()
	return os.RemoveAll(dir)
}

// ErrBusy means that another server uses the data folder.
var ErrBusy = errors.New("another local server uses this data folder: stop it or use another folder")

const lockFile = "server.lock"

// LockFolder locks a data folder and a file in the folder. The lock file alone is not enough,
// because another process could remove and recreate the file. Windows cannot lock folders, but does
// not allow the removal of a locked file. The locks end with the process.
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

// lockItself also succeeds on file systems without locks for folders (NFS).
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

// IsLocked reports whether a process has locked the folder. It creates no files.
func IsLocked(dir string) bool {
	lock := LockFolder
	if !isThere(filepath.Join(dir, lockFile)) {
		lock = lockItself
	}
	unlock, err := lock(dir)
	if err != nil {
		return errors.Is(err, ErrBusy)
	}
	_ = unlock()
	return false
}

// owner is the owner of a data folder. Files that root creates must belong to the owner, because
// the owner's server uses them.
type owner struct {
	folder   string
	uid, gid int
}
