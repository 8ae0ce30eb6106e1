package personafiles

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/parley-npc/parley/personas/assert"
)

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// TestContents: stored content is found by its hash; content that was changed is not.
func TestContents(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "contents")
	c := NewSavedContents(folder)
	text := []byte(`{"name":"A"}`)
	assert.NoError(t, c.AddContent(text))
	got, err := c.FindContent(hashOf(text))
	assert.NoError(t, err)
	assert.Equal(t, string(got), string(text))
	assert.NoError(t, os.WriteFile(c.pathOf(hashOf(text)), []byte("changed"), 0o600))
	for _, hash := range []string{hashOf(text), hashOf(nil), "", "../../etc/passwd", hashOf(text)[:63] + "/"} {
		_, err := c.FindContent(hash)
		assert.ErrorIs(t, err, fs.ErrNotExist, "%q", hash)
	}
	assert.NoError(t, NewSavedContents("").AddContent(text))
}

func TestContentsAreBounded(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	c := NewSavedContents(folder)
	for i := range maxContents {
		text := fmt.Appendf(nil, "%d", i)
		assert.NoError(t, os.WriteFile(c.pathOf(hashOf(text)), text, 0o600))
		when := time.Unix(int64(1_700_000_000+i), 0)
		assert.NoError(t, os.Chtimes(c.pathOf(hashOf(text)), when, when))
	}
	add := func(text []byte) error { return errors.Join(c.AddContent(text), c.DropOldest()) }
	if err := c.DropOldest(); err != nil || countFiles(t, folder) != maxContents {
		t.Errorf("at the bound: %v, %d files", err, countFiles(t, folder))
	}
	if err := add([]byte("new")); err != nil || countFiles(t, folder) != maxContents {
		t.Errorf("past the bound: %v, %d files", err, countFiles(t, folder))
	}
	_, err := c.FindContent(hashOf([]byte("0")))
	assert.ErrorIs(t, err, fs.ErrNotExist, "the oldest is there")
	assert.Value(c.FindContent(hashOf([]byte("new"))))(t)
	large := bytes.Repeat([]byte("x"), maxContentBytes)
	if err := add(large); err != nil || countFiles(t, folder) != 1 {
		t.Errorf("a large one: %v, %d files", err, countFiles(t, folder))
	}
}

func countFiles(t *testing.T, folder string) int {
	t.Helper()
	entries := assert.Value(os.ReadDir(folder))(t)
	return len(entries)
}
