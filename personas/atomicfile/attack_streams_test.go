package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

// TestWriteToOwnOutput: where the output of the process is an ordinary file, its names in
// /dev are written to and not replaced.
func TestWriteToOwnOutput(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	stdout := os.Stdout
	os.Stdout = file
	defer func() { os.Stdout = stdout }()
	before, statErr := os.Lstat("/dev/stdout")
	for _, path := range []string{"/dev/stdout", "/dev//fd/1"} {
		if err := Write(path, []byte("x"), 0o600); err != nil {
			t.Error(path, err)
		}
	}
	if text, err := os.ReadFile(file.Name()); err != nil || string(text) != "xx" {
		t.Errorf("%q, %v", text, err)
	}
	if after, err := os.Lstat("/dev/stdout"); (statErr == nil) != (err == nil) || err == nil && before.Mode() != after.Mode() {
		t.Errorf("/dev/stdout was %v and is %v, %v", before, after, err)
	}
}
