package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"syscall"
)

// ErrTooLong is the refusal of a path that SQLite, or this system, does not take.
var ErrTooLong = errors.New("the path is too long")

// maxPath is how many bytes the path of a database may have: what SQLite takes on this
// system without the longest end that it adds to one ("-journal").
func maxPath() int {
	if runtime.GOOS == "windows" {
		return 1040 - 8
	}
	return 512 - 8
}

// CheckPath refuses the path of a database that SQLite would not open (ErrTooLong). It
// touches nothing.
func CheckPath(path string) error {
	whole := resolvePath(absolutePath(path))
	if len(whole) > maxPath() {
		return fmt.Errorf("%w: %s has %d bytes, and a database takes at most %d: name a shorter folder", ErrTooLong, whole, len(whole), maxPath())
	}
	return nil
}

// resolvePath follows the links of a path, as far as there is something, like SQLite.
func resolvePath(path string) string {
	if runtime.GOOS == "windows" {
		return path
	}
	rest := ""
	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		if found, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(found, rest)
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
	return path
}

// maxName is how many bytes most file systems take for a file or folder.
const maxName = 255

// ExplainLength adds to a system's error about a path which limit it is about.
func ExplainLength(err error) error {
	if !errors.Is(err, syscall.ENAMETOOLONG) {
		return err
	}
	return fmt.Errorf("%w: %w: one file or folder in it has a longer name than this system takes (%d bytes on most disks)", ErrTooLong, err, maxName)
}
