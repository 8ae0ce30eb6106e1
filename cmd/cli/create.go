package cli

import (
	"errors"
	"fmt"
	"os"
)

// CreateFile writes a new file. Its error wraps fs.ErrExist if the file exists. If writing fails,
// CreateFile removes the file.
func CreateFile(path string, content []byte, perm os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, PathReason(err))
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(path)
		return fmt.Errorf("write %s: %w", path, PathReason(err))
	}
	return nil
}
