// Package atomicfile writes files atomically, opens files without blocking and restricts
// permissions. Write syncs a temporary file in the same directory and renames the file. Readers
// therefore see either the old or the new content. The package does not create directories, take
// locks or print.
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

// Write writes a file with the given mode. A symbolic link to a regular file is replaced by a
// regular file. Devices, pipes and open descriptors such as /dev/stdout are written to and never
// replaced.
func Write(path string, content []byte, mode fs.FileMode) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return writeInto(path, content)
	} else if err == nil && isDescriptor(path) {
		return appendTo(path, content)
	}
	return placeFile(path, content, mode, os.Rename)
}

func isDescriptor(path string) bool {
	return descriptorPattern().MatchString(filepath.ToSlash(filepath.Clean(path)))
}

// descriptorPattern matches links to open files, often to regular files. Other paths below /dev and
// /proc, such as /dev/shm/a, are ordinary.
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

// Rewrite replaces the content of an existing file and keeps the mode. If the path is a symbolic
// link, Rewrite replaces the content of the target.
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

// Create creates a file with the given mode. If the file exists, Create returns fs.ErrExist.
// Without hard links on the file system, the later of two concurrent calls overwrites the file.
func Create(path string, content []byte, mode fs.FileMode) error {
	return placeFile(path, content, mode, Place)
}

// Place renames a temporary file to a new name. If the name exists, Place returns fs.ErrExist and
// keeps the temporary file. Without hard links on the file system, the later of two concurrent
// calls overwrites the file.
func Place(temporary, path string) error {
	err := os.Link(temporary, path)
	switch {
	case err == nil:
		if err = os.Remove(temporary); errors.Is(err, fs.ErrNotExist) {
			return nil // Another process has removed the temporary name.
		}
		return err
	case errors.Is(err, fs.ErrExist):
		return err
	}
	return os.Rename(temporary, path)
}

func placeFile(path string, content []byte, mode fs.FileMode, place func(temporary, path string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return wrapError(path, err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = place(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return wrapError(path, err)
	}
	return nil
}

// writeInto uses O_NONBLOCK, because opening a pipe without a reader would block forever.
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

func unwrapPath(err error) error {
	if fault, ok := errors.AsType[*fs.PathError](err); ok {
		return fault.Err
	}
	return err
}
