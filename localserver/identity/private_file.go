package identity

import (
	"io/fs"
	"os"
	"path/filepath"
)

// writePrivate writes a file that only its owner can read, atomically, and creates its folder if it
// is missing. The function write decides what happens to an existing file.
func writePrivate(path string, data []byte, write func(string, []byte, fs.FileMode) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return write(path, data, 0o600)
}

// PrivateFiles are the files of a data folder that this package writes for their owner
// alone.
func PrivateFiles(dir string) []string {
	var files []string
	for _, name := range []string{devKeyFile, grantsFile, signInFile} {
		files = append(files, filepath.Join(dir, name))
	}
	return files
}
