package atomicfile

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// SyncFolder returns when the names in a folder are on the disk: a file that was made or
// renamed has its name after a power cut only then. It does nothing on Windows, and where a
// file system syncs no folders.
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
