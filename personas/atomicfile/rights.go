package atomicfile

import (
	"io/fs"
	"os"
	"runtime"
)

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
