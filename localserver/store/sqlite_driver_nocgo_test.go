//go:build !cgo

package store

import (
	"errors"
	"path/filepath"
	"testing"
)

// TestOpenSaysWhatIsMissing runs with CGO_ENABLED=0 only.
func TestOpenSaysWhatIsMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	if _, err := Open(t.Context(), Options{Path: path}); !errors.Is(err, errNoSQLite) {
		t.Errorf("got %v", err)
	}
}
