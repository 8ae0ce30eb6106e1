package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestReplaceBelowDev: a file on a file system below /dev is replaced, and not written a second time.
func TestReplaceBelowDev(t *testing.T) {
	t.Parallel()
	folder, err := os.MkdirTemp("/dev/shm", "parley-*")
	if err != nil {
		t.Skip("this system has no /dev/shm")
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	path := filepath.Join(folder, "a.yaml")
	for _, content := range []string{"name: Ann\n", "name: A\n"} {
		assert.NoError(t, Write(path, []byte(content), 0o600))
		assert.Equal(t, string(assert.Value(os.ReadFile(path))(t)), content)
	}
}

func TestNamesOfOpenFiles(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/dev/stdout": true, "/dev/fd/3": true, "/dev/../dev/stderr": true, "/proc/self/fd/1": true, "/proc/12/fd/1": true, "/proc/self/task/12/fd/4": true, "/proc/thread-self/fd/1": true,
		"/dev/shm/a.yaml": false, "/dev/shm/fd/3": false, "/dev/../tmp/a.yaml": false, "/proc/a.yaml": false, "/proc/self/cwd/a.yaml": false, "/proc/self/root/dev/shm/a": false, "dev/stdout": false, "/dev/fd/x": false, "/dev/stdout/x": false,
	} {
		assert.Equal(t, isDescriptor(path), want, path)
	}
}

// TestWriteToOwnOutput: a name of an open file, such as /dev/stdout, is written to and not replaced.
func TestWriteToOwnOutput(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the names of open files are Linux's")
	}
	file := assert.Value(os.Create(filepath.Join(t.TempDir(), "out")))(t)
	defer func() { _ = file.Close() }()
	assert.Value(file.WriteString("before "))(t)
	for _, folder := range []string{"/proc/self/fd", "/dev/fd"} {
		path := fmt.Sprintf("%s/%d", folder, file.Fd())
		if err := Write(path, []byte("x"), 0o600); err != nil {
			t.Error(path, err)
		}
		info, err := os.Lstat(path)
		assert.True(t, err == nil && info.Mode()&os.ModeSymlink != 0, "%s is %v, %v", path, info, err)
	}
	assert.Equal(t, string(assert.Value(os.ReadFile(file.Name()))(t)), "before xx")
}
