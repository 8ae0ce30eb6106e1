//go:build !windows

package atomicfile_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/parley-npc/parley/personas/atomicfile"
)

// TestWriteIntoAPipe: what is no ordinary file is written into, and stays what it is.
// By a link too, such as /dev/stdout: a rename would put a file in its place.
func TestWriteIntoAPipe(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	// Open for both, so that neither end waits for the other.
	f, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for path, kind := range map[string]fs.FileMode{pipe: fs.ModeNamedPipe, link: fs.ModeSymlink} {
		t.Run(filepath.Base(path), func(t *testing.T) {
			if err := atomicfile.Write(path, []byte("hello"), 0o644); err != nil {
				t.Fatal(err)
			}
			info, err := os.Lstat(path)
			if err != nil || info.Mode().Type() != kind {
				t.Fatalf("%s is %v now, %v", path, info.Mode(), err)
			}
			text := make([]byte, 16)
			if n, err := f.Read(text); err != nil || string(text[:n]) != "hello" {
				t.Errorf("%q, %v", text[:n], err)
			}
		})
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("beside them is %v, %v", left, err)
	}
}
