package atomicfile

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

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
