// Package atomicfile writes files atomically: it writes the content to a new file in the same
// directory, syncs it, and renames it. Readers see either the old content or the new one. The
// package also opens files without blocking, and narrows their permissions. It does not create
// directories, take locks or print.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
)

// Write writes a file with the given mode. It replaces a symbolic link to a file by the file. It
// writes into anything other than a regular file, such as /dev/stdout, a device or a pipe, even
// behind a link. Names of the process's output streams, such as /dev/stdout, are written to even if
// they refer to regular files.
func Write(path string, content []byte, mode fs.FileMode) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return writeInto(path, content)
	} else if err == nil && isDescriptor(path) {
		return appendTo(path, content)
	}
	return placeFile(path, content, mode, os.Rename)
}

// isDescriptor reports whether a path means an open file of a process, such as its output.
// Such a path is a link, often to an ordinary file, that must not be replaced. A file in
// /dev/shm is one like others.
func isDescriptor(path string) bool {
	return descriptorPattern().MatchString(filepath.ToSlash(filepath.Clean(path)))
}

// descriptorPattern is how Linux and macOS name open files of a process. Other files below
// /dev and /proc are files like any, such as those on the file system /dev/shm.
var descriptorPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(/dev/(std(in|out|err)|fd/\d+)|/proc/(self|thread-self|\d+)(/task/\d+)?/fd/\d+)$`)
})

// appendTo writes behind what a file has.
func appendTo(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return wrapError(path, unwrapPath(err))
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return wrapError(path, unwrapPath(err))
	}
	return nil
}

// Rewrite replaces the content of an existing file and keeps its mode. It follows a symbolic link
// and replaces its target.
func Rewrite(path string, content []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return wrapError(path, unwrapPath(err))
	}
	info, err := os.Stat(target)
	if err != nil {
		return wrapError(path, unwrapPath(err))
	}
	return Write(target, content, info.Mode().Perm())
}

// Create creates a file with the given mode. If the file exists, it returns fs.ErrExist and leaves
// the file unchanged. On a file system without hard links, the last of two processes that create a
// file at the same moment wins.
func Create(path string, content []byte, mode fs.FileMode) error {
	return placeFile(path, content, mode, Place)
}

// Place renames a file to an unused name; if the name exists, the error is fs.ErrExist and
// temporary stays. Without hard links, the last of two concurrent calls wins.
func Place(temporary, path string) error {
	err := os.Link(temporary, path)
	switch {
	case err == nil:
		if err = os.Remove(temporary); errors.Is(err, fs.ErrNotExist) {
			return nil // The store removes the second name of a database too.
		}
		return err
	case errors.Is(err, fs.ErrExist):
		return err
	}
	return os.Rename(temporary, path)
}

// placeFile writes a new file next to path and calls place to move it there. It leaves no new file
// behind if that fails.
func placeFile(path string, content []byte, mode fs.FileMode, place func(temporary, path string) error) error {
	// CreateTemp makes the file with mode 0600.
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return wrapError(path, err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = place(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // The previous error is returned.
		return wrapError(path, err)
	}
	return nil
}

// writeInto writes into a device or a pipe. It refuses a pipe without a reader, because opening it
// would block forever.
func writeInto(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) {
		return wrapError(path, errors.New("nobody reads from this pipe: begin to read it, then write"))
	}
	if err != nil {
		return fmt.Errorf("write %w", err)
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

func wrapError(path string, err error) error { return fmt.Errorf("write %s: %w", path, err) }

// unwrapPath removes the path from an error with a message that contains it already.
func unwrapPath(err error) error {
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		return fault.Err
	}
	return err
}
