package datafolder

import (
	"os"
	"path/filepath"
	"time"
)

// throwAway is the prefix of the folders that Memory creates. It is unlikely for other folders, so
// that folders with this prefix may be removed.
const throwAway = "parley-throwaway-"

const (
	// mostStale is the maximum number of folders of killed processes that a start removes, so that
	// it stays fast.
	mostStale = 20
	// youngest is how old a lock file is at least, so that none is taken from a process that
	// has made it and is about to lock it.
	youngest = time.Minute
)

// removeStale removes temporary folders that killed processes of this user have left in a folder.
// It ignores errors, so that a start never fails for this.
func removeStale(above string) {
	found, err := filepath.Glob(filepath.Join(above, throwAway+"*"))
	if err != nil {
		return
	}
	removed := 0
	for _, dir := range found {
		if removed == mostStale {
			return
		}
		if removeIfStale(dir) {
			removed++
		}
	}
}

// removeIfStale removes a folder that is this user's and no process's, under its lock. One
// without a lock file is being made, or never was ours.
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

// Remove removes a data folder with everything in it. The error is ErrBusy while a server runs there.
func Remove(dir string) error {
	unlock, err := LockFolder(dir)
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }() // The file is gone by then.
	return os.RemoveAll(dir)
}
