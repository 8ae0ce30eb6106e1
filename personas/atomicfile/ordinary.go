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

// ErrNotOrdinary means that a path is a pipe, a device or a socket. Opening or reading the path
// could block forever.
var ErrNotOrdinary = errors.New("it is a pipe, a device or a socket, not a regular file")

// Open opens a file for reading and never blocks. For a pipe, a device or a socket, Open returns an
// *fs.PathError with ErrNotOrdinary. Inherited descriptors such as /dev/stdin and the null device
// are allowed.
func Open(path string) (*os.File, error) {
	if isGiven(path) {
		return os.Open(path)
	}
	if err := Check(path); errors.Is(err, ErrNotOrdinary) {
		return nil, err
	}
	// O_NONBLOCK matters if a pipe has replaced the file since the check.
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

// Read returns the content of a file. The errors are those of Open and io.ReadAll.
func Read(path string) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(f)
}

// ReadUpTo reads at most limit+1 bytes of a file. A result longer than limit means that the file is
// too large.
func ReadUpTo(path string, limit int) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, int64(limit)+1))
}

// Check returns the errors of os.Stat, or an error if Open would reject the path. Call Check before
// code that opens the path by other means.
func Check(path string) error {
	info, err := os.Stat(path)
	if err != nil || isGiven(path) {
		return err
	}
	return judgeMode(path, info)
}

// CheckNew is like Check, but accepts a missing file.
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

// isGiven reports whether a path is an inherited descriptor. For <(command), a shell passes a path
// such as /dev/fd/63.
func isGiven(path string) bool {
	path = filepath.ToSlash(filepath.Clean(path))
	return path == os.DevNull || path == "/dev/stdin" ||
		strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// OpenInside opens a file by a path relative to folder, in the same way as Open. A path that leaves
// the folder through .. or a link is an error.
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

// SyncFolder syncs a directory to disk. Created and renamed files in the directory then survive a
// power failure. On Windows and on file systems without directory sync, SyncFolder does nothing.
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

// Widened is a file or directory with too many permissions.
type Widened struct {
	Path  string
	Found fs.FileMode // mode before the change
	Err   error       // chmod error, or nil
}

// NarrowRights removes permissions beyond the given mode and returns the affected files and
// directories. Missing files, links and special files are skipped. On Windows, NarrowRights does
// nothing, because the mode does not control read access.
func NarrowRights(mode fs.FileMode, paths ...string) []Widened {
	if runtime.GOOS == "windows" {
		return nil
	}
	var wide []Widened
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
			continue
		}
		current := info.Mode().Perm()
		if current&^mode == 0 {
			continue
		}
		wide = append(wide, Widened{path, current, unwrapPath(os.Chmod(path, current&mode))})
	}
	return wide
}
