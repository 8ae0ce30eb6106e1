package datafolder

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/parley-npc/parley/localserver/store"
)

// ErrChanged means that a snapshot file has changed since it was written.
var ErrChanged = errors.New("the file was changed since it was written")

// A snapshot ends with a line after the last page that SQLite reads. The line contains the SHA-256
// of everything before it. The user version in the header is store.SnapshotMark, so that a missing
// line is detected.
const (
	checksumBegin = "\nparley snapshot sha256 "
	checksumSize  = int64(len(checksumBegin) + 2*sha256.Size + len("\n"))
	// markOffset is the offset of the user version in the header. The user version has four bytes,
	// big-endian (www.sqlite.org/fileformat.html, 1.3).
	markOffset = 60
)

// appendChecksum appends the checksum line, and sets the user version to store.SnapshotMark. No
// connection to the database may be open.
func appendChecksum(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err = f.WriteAt(binary.BigEndian.AppendUint32(nil, store.SnapshotMark), markOffset); err == nil {
		_, err = io.Copy(sum, f)
	}
	if err == nil {
		_, err = fmt.Fprintf(f, "%s%x\n", checksumBegin, sum.Sum(nil))
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// readChecksum returns the checksum at the end of the file. It returns nil if the file has neither
// a checksum nor store.SnapshotMark.
func readChecksum(from io.ReaderAt, size int64) ([]byte, error) {
	line := make([]byte, checksumSize)
	if _, err := from.ReadAt(line, max(size-checksumSize, 0)); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	digits, begun := bytes.CutPrefix(line, []byte(checksumBegin))
	if !begun {
		return nil, checkUnmarked(from)
	}
	sum := make([]byte, sha256.Size)
	if _, err := hex.Decode(sum, bytes.TrimSuffix(digits, []byte("\n"))); err != nil {
		return nil, fmt.Errorf("%w: its last line is damaged", ErrChanged)
	}
	return sum, nil
}

// checkUnmarked returns ErrChanged if a file without a checksum contains store.SnapshotMark.
func checkUnmarked(from io.ReaderAt) error {
	var mark [4]byte
	if _, err := from.ReadAt(mark[:], markOffset); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if binary.BigEndian.Uint32(mark[:]) == store.SnapshotMark {
		return fmt.Errorf("%w: its last line, which contains the checksum, is missing or changed; the file may be incomplete", ErrChanged)
	}
	return nil
}

// copyChecked copies a database without its checksum, and verifies the checksum. checked is false
// if an older parley or another program wrote the file without a checksum.
func copyChecked(to io.Writer, from *os.File, size int64) (checked bool, err error) {
	want, err := readChecksum(from, size)
	if err != nil {
		return false, err
	}
	if want != nil {
		size -= checksumSize
	}
	// Copy only the original size, even if the file grows meanwhile.
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(from, size)); err != nil {
		return false, err
	}
	if want != nil && !bytes.Equal(sum.Sum(nil), want) {
		return false, fmt.Errorf("%w: its checksum differs", ErrChanged)
	}
	return want != nil, nil
}
