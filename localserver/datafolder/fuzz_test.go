package datafolder

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

// FuzzRestore: any snapshot is either refused without a change, or restored completely.
func FuzzRestore(f *testing.F) {
	file := writeSample(f)
	cutChecksum(f, file)
	sample, err := os.ReadFile(file)
	assert.NoError(f, err)
	f.Add([]byte("SQLite format 3\x00"), 0, []byte{0})
	f.Add([]byte{}, 100, []byte{0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{}, 16, []byte{0, 1, 2, 2})
	f.Add([]byte{}, 4096, []byte{5, 0, 0, 0, 0})
	f.Add([]byte(checksumBegin+strings.Repeat("0", 64)+"\n"), 0, []byte{0})
	f.Add([]byte(checksumBegin+strings.Repeat("g", 64)+"\n"), 0, []byte{0})
	f.Fuzz(func(t *testing.T, whole []byte, at int, spoilt []byte) {
		if len(whole) == 0 {
			whole = bytes.Clone(sample)
			for i, b := range spoilt {
				whole[(max(at, 0)%len(whole)+i)%len(whole)] = b
			}
		}
		file, dir := filepath.Join(t.TempDir(), "snapshot"), t.TempDir()
		assert.NoError(t, os.WriteFile(file, whole, 0o600))
		_, err := RestoreSnapshot(t.Context(), file, FindPlace(dir), false, time.Now(), nil)
		switch {
		case err != nil && IsUsed(dir):
			t.Errorf("it was refused, and something was made: %v", err)
		case err == nil:
			assert.NoError(t, CheckDatabase(t.Context(), dir), "it was restored, and")
		}
	})
}
