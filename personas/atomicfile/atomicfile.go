// Package atomicfile writes files atomically. It writes the content to a new file in the same
// directory, syncs it, and renames it. Readers see either the old or the new content. The package
// also opens files without blocking and restricts their permissions. It does not create
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

// Write writes a file with the given mode. If path is a symbolic link to a regular file, Write
// replaces the link by a regular file. If path is, or links to, a device, a pipe or another special
// file, Write writes into it instead. It also writes into the process's open descriptors, such as
// /dev/stdout, even if they refer to regular files.
func Write(path string, content []byte, mode fs.FileMode) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return writeInto(path, content)
	} else if err == nil && isDescriptor(path) {
		return appendTo(path, content)
	}
	return placeFile(path, content, mode, os.Rename)
}

// isDescriptor reports whether a path refers to an open file of a process, such as its output. Such
// a path is a link, often to a regular file. The link must not be replaced.
func isDescriptor(path string) bool {
	return descriptorPattern().MatchString(filepath.ToSlash(filepath.Clean(path)))
}

// descriptorPattern matches the paths of a process's open files on Linux and macOS. Other paths
// below /dev and /proc, such as /dev/shm, are ordinary paths.
var descriptorPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(/dev/(std(in|out|err)|fd/\d+)|/proc/(self|thread-self|\d+)(/task/\d+)?/fd/\d+)$`)
})

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

// Rewrite replaces the content of an existing file without changing its mode. It follows a symbolic
// link and replaces the target's content.
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

// Create creates a file with the given mode. If the file exists, Create returns fs.ErrExist and
// leaves the file unchanged. On a file system without hard links, if two processes create a file at
// the same moment, the later one overwrites it.
func Create(path string, content []byte, mode fs.FileMode) error {
	return placeFile(path, content, mode, Place)
}

// Place renames a file to a name that does not exist yet. If the name exists, it returns
// fs.ErrExist and leaves the temporary file unchanged. On a file system without hard links, the
// later of two concurrent calls overwrites the file.
func Place(temporary, path string) error {
	err := os.Link(temporary, path)
	switch {
	case err == nil:
		if err = os.Remove(temporary); errors.Is(err, fs.ErrNotExist) {
			return nil // Another process has removed the temporary name, as the store does for a database.
		}
		return err
	case errors.Is(err, fs.ErrExist):
		return err
	}
	return os.Rename(temporary, path)
}

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
		_ = os.Remove(f.Name()) // The earlier error is returned.
		return wrapError(path, err)
	}
	return nil
}

// writeInto writes into a device or a pipe. It returns an error for a pipe without a reader,
// because opening such a pipe would block forever.
func writeInto(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) {
		return wrapError(path, errors.New("this pipe has no reader: start the reader first"))
	}
	if err != nil {
		return fmt.Errorf("write %w", err)
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

func wrapError(path string, err error) error { return fmt.Errorf("write %s: %w", path, err) }

// unwrapPath removes the path from an error, because wrapError adds the path again.
func unwrapPath(err error) error {
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		return fault.Err
	}
	return err
}
