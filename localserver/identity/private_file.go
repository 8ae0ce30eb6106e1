package identity

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// fileMover says what happens to a file that is there already.
type fileMover func(temporary, path string) error

// replaceFile puts the new file in the old one's place.
func replaceFile(temporary, path string) error { return os.Rename(temporary, path) }

// keepFirst returns fs.ErrExist when there is a file already. Where the file
// system has no hard links a rename must do; then the last of two processes that
// start in the same moment wins.
func keepFirst(temporary, path string) error {
	err := os.Link(temporary, path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return os.Rename(temporary, path)
	}
	return err
}

// writePrivate writes a file that only its owner can read, whole or not at all,
// and makes its folder when it is missing.
func writePrivate(path string, data []byte, place fileMover) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	// CreateTemp makes the file with mode 0600.
	file, err := os.CreateTemp(dir, filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if err := errors.Join(writeAndSync(file, data), file.Close()); err != nil {
		return err
	}
	return place(file.Name(), path)
}

func writeAndSync(file *os.File, data []byte) error {
	if _, err := file.Write(data); err != nil {
		return err
	}
	return file.Sync()
}
