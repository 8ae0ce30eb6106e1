// Package datafolder manages the folder of a server's persistent data: the lock of the folder, the
// path of the database in it, integrity checks, and snapshots. It does not interpret the data.
package datafolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Memory, as the path of a data folder, means a temporary folder that is removed when the server
// stops.
const Memory = ":memory:"

// DatabaseFile returns the path of the database in a data folder.
func DatabaseFile(dir string) string { return filepath.Join(dir, "parley.db") }

// DatabaseFiles returns the paths of the database in a data folder and of SQLite's files next to
// it, which contain pending changes.
func DatabaseFiles(dir string) []string {
	file := DatabaseFile(dir)
	return []string{file, file + "-wal", file + "-shm"}
}

// IsUsed reports whether a folder contains a database.
func IsUsed(dir string) bool { return isThere(DatabaseFile(dir)) }

func isThere(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// ResolveFile returns the target of a symbolic link to a file, even if the target does not exist.
// The lock must be next to the target, as SQLite's log is.
func ResolveFile(path string) string {
	if found, err := filepath.EvalSymlinks(path); err == nil {
		return found
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

// A Folder is a data folder that this process has locked.
type Folder struct {
	Dir     string
	release []func() error
}

// Open locks a data folder, and creates it if it does not exist. It returns ErrBusy if another server uses
// it. For a temporary folder, it first removes those of killed processes.
func Open(data string) (*Folder, error) {
	f := &Folder{Dir: data}
	if data == Memory {
		removeStale(os.TempDir())
		dir, err := os.MkdirTemp("", throwAway+"*")
		if err != nil {
			return nil, err
		}
		f.Dir, f.release = dir, append(f.release, func() error { return os.RemoveAll(dir) })
	}
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return nil, errors.Join(fmt.Errorf("data folder: %w", err), f.Close())
	}
	unlock, err := LockFolder(f.Dir)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	f.release = append(f.release, unlock)
	return f, nil
}

// Close unlocks the folder, and removes it if it is temporary.
func (f *Folder) Close() error {
	var errs []error
	for _, release := range slices.Backward(f.release) {
		errs = append(errs, release())
	}
	f.release = nil
	return errors.Join(errs...)
}
