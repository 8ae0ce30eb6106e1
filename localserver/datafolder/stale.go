package datafolder

import (
	"os"
	"path/filepath"
	"time"
)

// temporaryPrefix is the prefix of the names of temporary data folders. Other programs are unlikely to
// use this prefix, so folders with it may be removed.
const temporaryPrefix = "parley-throwaway-"

const (
	// maxStale is the maximum number of folders that one start removes, so that the start stays
	// fast.
	maxStale = 20
	// youngest is the minimum age of a leftover folder's lock file. A newer lock file may belong to
	// a process that has created the file and has not locked it yet.
	youngest = time.Minute
)

// removeStale removes temporary data folders that killed processes of this user have left. It ignores
// errors, so that they do not prevent a start.
func removeStale(parent string) {
	found, err := filepath.Glob(filepath.Join(parent, temporaryPrefix+"*"))
	if err != nil {
		return
	}
	removed := 0
	for _, dir := range found {
		if removed == maxStale {
			return
		}
		if removeIfStale(dir) {
			removed++
		}
	}
}

// removeIfStale removes a temporary folder if no process uses it. It skips a folder without a lock
// file: the folder is being created, or does not belong to parley.
func removeIfStale(dir string) (removed bool) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !isOwn(info) {
		return false
	}
	lock, err := os.Lstat(filepath.Join(dir, lockFile))
	if err != nil || !lock.Mode().IsRegular() || time.Since(lock.ModTime()) < youngest {
		return false
	}
	return Remove(dir) == nil
}

// Remove removes a data folder with everything in it. It returns ErrBusy if a server uses the
// folder.
func Remove(dir string) error {
	unlock, err := LockFolder(dir)
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }() // The lock file is already removed then.
	return os.RemoveAll(dir)
}
