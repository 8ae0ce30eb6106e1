//go:build !windows

package atomicfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/atomicfile"
)

// TestWriteIntoAPipe: Write writes into a special file, or one that a link leads to, and does not replace it.
func TestWriteIntoAPipe(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	assert.NoError(t, syscall.Mkfifo(pipe, 0o600))
	assert.NoError(t, os.Symlink(pipe, link))
	// Open for both, so that neither end waits for the other.
	f := assert.Value(os.OpenFile(pipe, os.O_RDWR, 0))(t)
	defer func() { _ = f.Close() }()
	for path, kind := range map[string]fs.FileMode{pipe: fs.ModeNamedPipe, link: fs.ModeSymlink} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			assert.NoError(t, atomicfile.Write(path, []byte("hello"), 0o644))
			info, err := os.Lstat(path)
			if err != nil || info.Mode().Type() != kind {
				t.Fatalf("%s is %v now, %v", path, info.Mode(), err)
			}
			text := make([]byte, 16)
			n, err := f.Read(text)
			assert.True(t, err == nil && string(text[:n]) == "hello", "%q, %v", text[:n], err)
		})
	}
	assert.Equal(t, len(assert.Value(os.ReadDir(dir))(t)), 2, "the directory also contains")
}

// TestPipeWithoutAReader: writing without a reader is an error, and opening without a writer does not block.
func TestPipeWithoutAReader(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	assert.NoError(t, syscall.Mkfifo(pipe, 0o600))
	assert.ErrorContains(t, atomicfile.Write(pipe, []byte("hello"), 0o644), "has no reader", "written")
	_, err := atomicfile.Read(pipe)
	assert.ErrorIs(t, err, atomicfile.ErrNotOrdinary, "read")
	assert.NoError(t, atomicfile.CheckNew(pipe+".none"), "a missing file")
}
