package datafolder

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

// lockHolder makes the test binary hold the lock of a folder until it is killed.
const lockHolder = "PARLEY_TEST_HOLD"

func TestHoldLock(t *testing.T) {
	dir := os.Getenv(lockHolder)
	if dir == "" {
		t.Skip("this is what the next test starts")
	}
	assert.Value(LockFolder(dir))(t)
	_, _ = os.Stdout.WriteString("held\n")
	time.Sleep(time.Minute)
}

func TestLockOfAKilledServer(t *testing.T) {
	dir := t.TempDir()
	holder := exec.Command(os.Args[0], "-test.run=^TestHoldLock$")
	holder.Env = append(os.Environ(), lockHolder+"="+dir)
	out := assert.Value(holder.StdoutPipe())(t)
	assert.NoError(t, holder.Start())
	assert.Value(out.Read(make([]byte, 5)))(t)
	_, err := LockFolder(dir)
	assert.True(t, errors.Is(err, ErrBusy), "while it runs: %v", err)
	_ = holder.Process.Kill()
	_ = holder.Wait()
	unlock := assert.Value(LockFolder(dir))(t, "after it was killed")
	_ = unlock()
}

// TestLockOfADeletedFile: a folder stays locked when its lock file is deleted.
func TestLockOfADeletedFile(t *testing.T) {
	dir := t.TempDir()
	unlock := assert.Value(LockFolder(dir))(t)
	err := os.Remove(filepath.Join(dir, lockFile))
	assert.Equal(t, err != nil, runtime.GOOS == "windows", "delete the lock file: %v", err)
	assert.True(t, IsLocked(dir), "it is said not to be locked")
	_, err = LockFolder(dir)
	assert.ErrorIs(t, err, ErrBusy, "lock it again")
	assert.NoError(t, unlock())
	assert.True(t, !IsLocked(dir), "it is said to be locked when it is not")
}

func leaveFolder(t *testing.T, dir string, age time.Duration) string {
	t.Helper()
	assert.NoError(t, os.Mkdir(dir, 0o700))
	for _, file := range []string{DatabaseFile(dir), filepath.Join(dir, lockFile)} {
		assert.NoError(t, os.WriteFile(file, nil, 0o600))
	}
	then := time.Now().Add(-age)
	assert.NoError(t, os.Chtimes(filepath.Join(dir, lockFile), then, then))
	return dir
}

// TestStaleFoldersAreRemoved: the next temporary server removes folders of killed ones, but no
// folder that is in use, new, a link, open to others or owned by another user.
func TestStaleFoldersAreRemoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("they stay on Windows")
	}
	above := t.TempDir()
	t.Setenv("TMPDIR", above)
	old := func(name string) string { return leaveFolder(t, filepath.Join(above, name), time.Hour) }
	stale, used, open, own := old(temporaryPrefix+"1"), old(temporaryPrefix+"2"), old(temporaryPrefix+"3"), old("parley-4")
	young := leaveFolder(t, filepath.Join(above, temporaryPrefix+"5"), 0)
	unlock := assert.Value(LockFolder(used))(t)
	defer func() { _ = unlock() }()
	assert.NoError(t, os.Chmod(open, 0o770))
	linked := leaveFolder(t, filepath.Join(t.TempDir(), "kept"), time.Hour)
	assert.NoError(t, os.Symlink(linked, filepath.Join(above, temporaryPrefix+"6")))
	dir, closeFolder, err := Open(Memory)
	assert.NoError(t, err)
	assert.True(t, !isThere(stale), "a stale folder is left")
	for _, kept := range []string{used, open, own, young, linked, dir} {
		assert.True(t, isThere(filepath.Join(kept, lockFile)), "%s is removed", kept)
	}
	err = closeFolder()
	assert.True(t, err == nil && !isThere(dir), "its own folder is left: %v", err)
}

// TestStaleFoldersAreBounded: a start removes at most maxStale folders.
func TestStaleFoldersAreBounded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("they stay on Windows")
	}
	above := t.TempDir()
	for i := range maxStale + 1 {
		leaveFolder(t, filepath.Join(above, fmt.Sprint(temporaryPrefix, i)), time.Hour)
	}
	for _, left := range []int{1, 0} {
		removeStale(above)
		there, err := os.ReadDir(above)
		assert.True(t, err == nil && len(there) == left, "%d folders are left, want %d: %v", len(there), left, err)
	}
}
