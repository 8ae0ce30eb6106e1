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
	// Err is why they could not be taken away, nil where they are gone.
	Err error
}

// NarrowRights takes rights away from those of the files and folders that have more of
// them than mode, and tells which those were. What is not there, and what is a link or no
// ordinary file, is passed over: it was not written here. On Windows, where a mode does
// not say who may read, it does nothing.
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
