package identity

import (
	"io/fs"
	"os"
	"path/filepath"
)

// writePrivate creates the folder. write decides what happens if the file exists.
func writePrivate(path string, data []byte, write func(string, []byte, fs.FileMode) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return write(path, data, 0o600)
}

// PrivateFiles returns the paths of the files in a data folder that this package writes and that
// only their owner may read.
func PrivateFiles(dir string) []string {
	var files []string
	for _, name := range []string{devKeyFile, grantsFile, signInFile} {
		files = append(files, filepath.Join(dir, name))
	}
	return files
}
