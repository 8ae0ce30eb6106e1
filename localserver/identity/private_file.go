package identity

import (
	"io/fs"
	"os"
	"path/filepath"
)

// writePrivate writes a file that only its owner can read, whole or not at all,
// and makes its folder when it is missing. The function write says what happens to
// a file that is there already.
func writePrivate(path string, data []byte, write func(string, []byte, fs.FileMode) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return write(path, data, 0o600)
}
