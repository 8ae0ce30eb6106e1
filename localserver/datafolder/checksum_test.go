package datafolder

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/assert"
)

// restoreBytes restores a snapshot of these bytes into an empty folder.
func restoreBytes(t *testing.T, snapshot []byte) (Restored, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "snapshot")
	assert.NoError(t, os.WriteFile(file, snapshot, 0o600))
	return RestoreSnapshot(t.Context(), file, FindPlace(t.TempDir()), false, time.Now(), nil)
}

// TestChecksumOfSnapshot: a changed letter in a text is detected, which only the checksum can do,
// and a snapshot of a version without checksums is accepted and reported as unchecked.
func TestChecksumOfSnapshot(t *testing.T) {
	whole := assert.Value(os.ReadFile(writeSample(t)))(t)
	done, err := restoreBytes(t, whole)
	assert.True(t, err == nil && done.Checked, "as it was written: checked %v, %v", done.Checked, err)
	without := withoutChecksum(whole)
	done, err = restoreBytes(t, without)
	assert.True(t, err == nil && !done.Checked, "without the checksum: checked %v, %v", done.Checked, err)
	at := bytes.Index(whole, []byte(strings.Repeat("n", 50)))
	last := len(whole) - 2
	for _, place := range []int{at, last} {
		spoilt := bytes.Clone(whole)
		spoilt[place] ^= 1
		_, err := restoreBytes(t, spoilt)
		assert.ErrorIs(t, err, ErrChanged, "byte %d of %d", place, len(whole))
	}
	spoilt := bytes.Clone(without)
	spoilt[at] ^= 1
	assert.Value(restoreBytes(t, spoilt))(t, "the same letter without a checksum")
}

// TestSnapshotWithoutItsChecksum: a snapshot is refused if any byte of its last line is
// missing or changed.
func TestSnapshotWithoutItsChecksum(t *testing.T) {
	whole := assert.Value(os.ReadFile(writeSample(t)))(t)
	size, line := len(whole), int(checksumSize)
	refuse := func(what string, snapshot []byte) {
		t.Helper()
		dir := t.TempDir()
		file := filepath.Join(dir, "snapshot")
		assert.NoError(t, os.WriteFile(file, snapshot, 0o600))
		to := filepath.Join(dir, "data")
		_, err := RestoreSnapshot(t.Context(), file, FindPlace(to), false, time.Now(), nil)
		assert.True(t, errors.Is(err, ErrChanged) && strings.Contains(err.Error(), file), "%s: %v", what, err)
		assert.True(t, !isThere(DatabaseFile(to)), "%s: something was restored", what)
	}
	for cut := 1; cut <= line; cut++ {
		refuse(fmt.Sprintf("without its last %d bytes", cut), whole[:size-cut])
	}
	for at := size - line; at < size; at++ {
		spoilt := bytes.Clone(whole)
		spoilt[at] ^= 0x80
		refuse(fmt.Sprintf("with another byte %d of the line", at-(size-line)), spoilt)
	}
	refuse("cut in the middle of its pages", whole[:size/2])
	refuse("with an empty line behind it", append(bytes.Clone(whole), '\n'))
	spoilt := bytes.Clone(whole)
	copy(spoilt[markOffset:], make([]byte, 4))
	refuse("without the mark", spoilt)
}

// TestSnapshotAsDatabase: a server that uses a snapshot as its database removes the mark, so that a
// copy of the file can be restored. A snapshot of such a database has a checksum.
func TestSnapshotAsDatabase(t *testing.T) {
	snapshot := writeSample(t)
	content := assert.Value(os.ReadFile(snapshot))(t)
	s := assert.Value(store.Open(t.Context(), store.Options{Path: snapshot, Durability: store.Normal}))(t)
	assert.NoError(t, s.Close())
	used := assert.Value(os.ReadFile(snapshot))(t)
	used = used[:len(content)-int(checksumSize)] // SQLite leaves what is behind its pages.
	if done, err := restoreBytes(t, used); err != nil || done.Checked {
		t.Errorf("a copy of a database that was a snapshot: checked %v, %v", done.Checked, err)
	}
	again := filepath.Join(t.TempDir(), "again")
	assert.Value(WriteSnapshot(t.Context(), Place{Path: snapshot}, again, false, nil))(t)
	content = assert.Value(os.ReadFile(again))(t)
	done, err := restoreBytes(t, content)
	assert.True(t, err == nil && done.Checked, "a snapshot of it: checked %v, %v", done.Checked, err)
}
