package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// ErrNotOrdinary means that a path is a pipe, a device or a socket: opening or reading it could
// block forever.
var ErrNotOrdinary = errors.New("it is a pipe, a device or a socket and no ordinary file")

// Open opens a file for reading and never blocks. Unless the path is a regular file or a directory,
// it returns an *fs.PathError with ErrNotOrdinary. The exceptions are inherited descriptors, such
// as /dev/stdin, and the null device.
func Open(path string) (*os.File, error) {
	if isGiven(path) {
		return os.Open(path)
	}
	if err := Check(path); errors.Is(err, ErrNotOrdinary) {
		return nil, err
	}
	// Should a pipe have come in the file's place meanwhile, it is opened without
	// waiting for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = judgeMode(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Read reads a file whole; its errors are those of Open and os.ReadFile.
func Read(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(f)
}

// Check refuses what Open refuses, before something else opens it. Its errors are those
// of os.Stat too.
func Check(path string) error {
	info, err := os.Stat(path)
	if err != nil || isGiven(path) {
		return err
	}
	return judgeMode(path, info)
}

// CheckNew is Check for a file that need not be there yet.
func CheckNew(path string) error {
	if err := Check(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func judgeMode(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() || info.IsDir() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: path, Err: ErrNotOrdinary}
}

// isGiven reports whether a path is something that the parent process passed in: a descriptor, as a
// shell writes <(command), or the null device.
func isGiven(path string) bool {
	path = filepath.ToSlash(filepath.Clean(path))
	return path == os.DevNull || path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// OpenInside opens a file by its path from a folder, as Open does, and refuses what leads
// out of that folder, by .. or by a link.
func OpenInside(folder, name string) (*os.File, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = judgeMode(name, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
