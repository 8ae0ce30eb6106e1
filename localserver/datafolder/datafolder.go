// Package datafolder manages the folder of a server's persistent data: the lock of the folder, the
// path of the database in it, integrity checks, and snapshots. It does not interpret the data.
package datafolder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/parley-npc/parley/localserver/store"
)

// Memory can be passed as the path of a data folder. It means a temporary folder that is removed
// when the server stops.
const Memory = ":memory:"

// DatabaseFile returns the path of the database in a data folder.
func DatabaseFile(dir string) string { return filepath.Join(dir, "parley.db") }

// DatabaseFiles returns the paths of the database in a data folder and of the files that SQLite
// writes next to it. These files contain pending changes.
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
// The lock must be next to the target, because SQLite's log is there too.
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

// Open locks a data folder, and creates the folder if it does not exist. It returns ErrBusy if
// another server uses the folder. For Memory, it creates a temporary folder. closeFolder unlocks the
// folder, and removes a temporary one.
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

// prepareFolder creates the folder of a database if it does not exist.
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

// Remove removes a data folder with everything in it. It returns ErrBusy if a server uses the
// folder.
func Remove(dir string) error {
	unlock, err := LockFolder(dir)
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }() // The lock file is already removed then.
	return os.RemoveAll(dir)
}
