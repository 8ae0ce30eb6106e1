package datafolder

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

// TestEverySnapshotCanBeRestored: after any damage to the bytes of a database, a snapshot of it
// fails, or can be restored.
func TestEverySnapshotCanBeRestored(t *testing.T) {
	sample := writeSample(t)
	cutChecksum(t, sample)
	whole := assert.Value(os.ReadFile(sample))(t)
	random := rand.New(rand.NewPCG(3, 7)) // the same bytes each time
	made := 0
	for range 50 {
		dir, file := t.TempDir(), filepath.Join(t.TempDir(), "snapshot")
		damaged := append([]byte(nil), whole...)
		for range 1 + random.IntN(3) {
			damaged[100+random.IntN(len(damaged)-100)] ^= byte(1 + random.IntN(255))
		}
		assert.NoError(t, os.WriteFile(DatabaseFile(dir), damaged, 0o600))
		if _, err := WriteSnapshot(t.Context(), FindPlace(dir), file, false, nil); err != nil {
			assert.True(t, !isThere(file), "a snapshot is left: %v", err)
			continue
		}
		made++
		assert.Value(RestoreSnapshot(t.Context(), file, FindPlace(t.TempDir()), false, time.Now(), nil))(t, "a snapshot that cannot be restored")
	}
	assert.True(t, made != 0 && made != 50, "%d of 50 damaged databases gave a snapshot", made)
}
