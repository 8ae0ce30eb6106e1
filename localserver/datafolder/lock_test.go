package datafolder

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

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
