package datafolder

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrChanged is the refusal of a snapshot whose bytes are not those that were written.
var ErrChanged = errors.New("it is not as it was written: its checksum differs")

// A snapshot ends with a line that has the SHA-256 of all before it. It stands behind the
// last page of the database, where SQLite does not read
// (docs/decisions/store.md, snapshot-checksum).
const (
	checksumBegin = "\nparley snapshot sha256 "
	checksumSize  = int64(len(checksumBegin) + 2*sha256.Size + len("\n"))
)

// appendChecksum ends a file with its checksum, and returns when it is on disk.
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

// readChecksum gives the checksum at the end of a file of a size, nil where there is none.
func readChecksum(from io.ReaderAt, size int64) ([]byte, error) {
	if size < checksumSize {
		return nil, nil
	}
	line := make([]byte, checksumSize)
	if _, err := from.ReadAt(line, size-checksumSize); err != nil {
		return nil, err
	}
	digits, begun := bytes.CutPrefix(line, []byte(checksumBegin))
	if !begun {
		return nil, nil
	}
	sum := make([]byte, sha256.Size)
	if _, err := hex.Decode(sum, bytes.TrimSuffix(digits, []byte("\n"))); err != nil {
		return nil, ErrChanged
	}
	return sum, nil
}

// copyChecked copies the database of a snapshot of a size, without the checksum, and
// refuses one that is not as it was written (ErrChanged). checked is false where there is no
// checksum: it is of parley 0.1, or another program has written it.
func copyChecked(to io.Writer, from *os.File, size int64) (checked bool, err error) {
	want, err := readChecksum(from, size)
	if err != nil {
		return false, err
	}
	if want != nil {
		size -= checksumSize
	}
	// Of a file that grows meanwhile there is as much as it had.
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(from, size)); err != nil {
		return false, err
	}
	if want != nil && !bytes.Equal(sum.Sum(nil), want) {
		return false, ErrChanged
	}
	return want != nil, nil
}
