package store

import (
	"path/filepath"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// BenchmarkOpen opens a database that is there, and closes it.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "parley.db")
	for b.Loop() {
		s, err := Open(b.Context(), Options{Path: path})
		assert.NoError(b, err)
		assert.NoError(b, s.Close())
	}
}
