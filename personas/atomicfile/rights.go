package atomicfile

import (
	"io/fs"
	"os"
	"runtime"
)

// Widened is a file or a folder that had more rights than it is written with.
type Widened struct {
	Path string
	// Found are the rights that it had.
	Found fs.FileMode
	// Err is why they could not be removed, or nil.
	Err error
}

// NarrowRights removes permissions beyond mode from files and directories, and returns those that
// it changed. It skips missing files, links and special files, since the program did not write
// them. It is a no-op on Windows, because a mode does not control read access there.
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
