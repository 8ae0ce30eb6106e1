package datafolder

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// restoreBytes restores a snapshot of these bytes into an empty folder.
func restoreBytes(t *testing.T, snapshot []byte) (Restored, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "snapshot")
	if err := os.WriteFile(file, snapshot, 0o600); err != nil {
		t.Fatal(err)
	}
	return RestoreSnapshot(t.Context(), file, FindPlace(t.TempDir()), false, time.Now(), nil)
}

// TestChecksumOfSnapshot: a letter of a text that is another one later is found, which
// nothing else would find, and a snapshot without its checksum is taken, and said to be so.
func TestChecksumOfSnapshot(t *testing.T) {
	whole, err := os.ReadFile(writeSample(t))
	if err != nil {
		t.Fatal(err)
	}
	if done, err := restoreBytes(t, whole); err != nil || !done.Checked {
		t.Errorf("as it was written: checked %v, %v", done.Checked, err)
	}
	without := whole[:int64(len(whole))-checksumSize]
	if done, err := restoreBytes(t, without); err != nil || done.Checked {
		t.Errorf("without the checksum: checked %v, %v", done.Checked, err)
	}
	at := bytes.Index(whole, []byte(strings.Repeat("n", 50)))
	last := len(whole) - 2
	for _, place := range []int{at, last} {
		spoilt := bytes.Clone(whole)
		spoilt[place] ^= 1
		if _, err := restoreBytes(t, spoilt); !errors.Is(err, ErrChanged) {
			t.Errorf("byte %d of %d: %v", place, len(whole), err)
		}
	}
	spoilt := bytes.Clone(without)
	spoilt[at] ^= 1
	if _, err := restoreBytes(t, spoilt); err != nil {
		t.Errorf("the same letter without a checksum: %v", err)
	}
}
