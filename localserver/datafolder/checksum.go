package datafolder

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrChanged means that a file is not a snapshot, or has changed since it was written.
var ErrChanged = errors.New("the file is not a whole snapshot, or was changed since it was written")

// A snapshot ends with a line after the last page that SQLite reads. The line contains the SHA-256
// of everything before it.
const (
	checksumBegin = "\nparley snapshot sha256 "
	checksumSize  = int64(len(checksumBegin) + 2*sha256.Size + len("\n"))
)

// appendChecksum appends the checksum line. No connection to the database may be open.
func appendChecksum(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err = io.Copy(sum, f); err == nil {
		_, err = fmt.Fprintf(f, "%s%x\n", checksumBegin, sum.Sum(nil))
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// copyChecked copies a snapshot of the given size without its checksum, and verifies the checksum.
func copyChecked(to io.Writer, from *os.File, size int64) error {
	size -= checksumSize
	sum := sha256.New()
	// Copy only the original size, even if the file grows meanwhile.
	if _, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(from, size)); err != nil {
		return err
	}
	line := make([]byte, checksumSize)
	if _, err := from.ReadAt(line, max(size, 0)); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if want := fmt.Sprintf("%s%x\n", checksumBegin, sum.Sum(nil)); string(line) != want {
		return fmt.Errorf("%w: the checksum at its end is missing or differs", ErrChanged)
	}
	return nil
}
