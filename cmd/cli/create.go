package cli

import (
	"errors"
	"fmt"
	"os"
)

// CreateFile writes a new file that only the player can read. It returns fs.ErrExist if the file
// exists, and removes a file that it cannot write completely.
func CreateFile(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
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
