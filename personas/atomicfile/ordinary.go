package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// ErrNotOrdinary means that a path is a pipe, a device or a socket. Opening or reading it could
// block forever.
var ErrNotOrdinary = errors.New("it is a pipe, a device or a socket, not a regular file")

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
	// If a pipe has replaced the file since the check, O_NONBLOCK prevents waiting for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return keepOrdinary(f, path)
}

func keepOrdinary(f *os.File, path string) (*os.File, error) {
	info, err := f.Stat()
	if err == nil {
		err = judgeMode(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Read returns the content of a file. Its errors are those of Open and os.ReadFile.
func Read(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(f)
}

// ReadUpTo is like Read, but reads at most one byte more than most, so that the caller can refuse a
// larger file.
func ReadUpTo(path string, most int) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, int64(most)+1))
}

// Check returns an error if Open would reject the path. Call it before code that opens the path
// without Open. Check also returns the errors of os.Stat.
func Check(path string) error {
	info, err := os.Stat(path)
	if err != nil || isGiven(path) {
		return err
	}
	return judgeMode(path, info)
}

// CheckNew does the same as Check, but accepts a file that does not exist yet.
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

// isGiven reports whether a path is an inherited descriptor, as a shell passes for <(command), or
// the null device.
func isGiven(path string) bool {
	path = filepath.ToSlash(filepath.Clean(path))
	return path == os.DevNull || path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// OpenInside opens a file by its path relative to folder, as Open does. It rejects a path that
// leaves the folder through .. or a link.
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
	return keepOrdinary(f, name)
}

// SyncFolder syncs a directory to disk, so that created and renamed files in it survive a power
// failure. On Windows, and on file systems that cannot sync directories, it returns nil without
// syncing.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	err = folder.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil
	}
	return errors.Join(err, folder.Close())
}

// Widened is a file or directory that had more permissions than it should have.
type Widened struct {
	Path  string
	Found fs.FileMode // the mode before
	Err   error       // why the permissions could not be removed, or nil
}

// NarrowRights removes permissions beyond the given mode from files and directories, and returns
// the files and directories that had more. It skips missing files, links and special files, because
// the program did not create them. It returns nil on Windows, where the mode does not control read
// access.
func NarrowRights(mode fs.FileMode, paths ...string) []Widened {
	if runtime.GOOS == "windows" {
		return nil
	}
	var wide []Widened
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() && !info.IsDir() || info.Mode().Perm()&^mode == 0 {
			continue
		}
		found := info.Mode().Perm()
		wide = append(wide, Widened{path, found, unwrapPath(os.Chmod(path, found&mode))})
	}
	return wide
}
