package store

import (
	"path/filepath"
	"testing"
)

// BenchmarkOpen opens a database that is there, and closes it.
func BenchmarkOpen(b *testing.B) {
	path := filepath.Join(b.TempDir(), "parley.db")
	for b.Loop() {
		s, err := Open(b.Context(), Options{Path: path})
		mustSucceed(b, err)
		mustSucceed(b, s.Close())
	}
}
