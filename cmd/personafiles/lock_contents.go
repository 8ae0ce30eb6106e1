package personafiles

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/parley-npc/parley/personas/atomicfile"
)

// Limits on SavedContents. The oldest contents are removed first.
const (
	maxContents     = 500
	maxContentBytes = 64 << 20
)

const contentEnding = ".json"

// SavedContents stores the content of saved files by hash (LockEntry.SHA256), in a directory of the
// user. With a saved content, Parley can tell changes in the file from changes on the server.
type SavedContents struct {
	folder string
	grown  *atomic.Bool // a content was added since the last DropOldest
}

// NewSavedContents returns a SavedContents for a directory. It stores nothing if folder is "".
func NewSavedContents(folder string) SavedContents { return SavedContents{folder, new(atomic.Bool)} }

func (c SavedContents) pathOf(hash string) string { return filepath.Join(c.folder, hash+contentEnding) }

// AddContent stores a content under its hash. Call DropOldest after the last call.
func (c SavedContents) AddContent(text []byte) error {
	if c.folder == "" {
		return nil
	}
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return fmt.Errorf("write the copy of the saved version: %w", err)
	}
	sum := sha256.Sum256(text)
	if err := atomicfile.Write(c.pathOf(hex.EncodeToString(sum[:])), text, 0o600); err != nil {
		return fmt.Errorf("write the copy of the saved version: %w", err)
	}
	c.grown.Store(true)
	return nil
}

// FindContent returns the content with the given hash, or fs.ErrNotExist if it is missing or
// damaged.
func (c SavedContents) FindContent(hash string) ([]byte, error) {
	if c.folder == "" || len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return nil, fs.ErrNotExist
	}
	text, err := atomicfile.Read(c.pathOf(hash))
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != hash {
		return nil, fs.ErrNotExist
	}
	return text, nil
}

// DropOldest removes the oldest contents until 500 contents and 64 MiB are left. It does nothing if
// no content was added since its last call.
func (c SavedContents) DropOldest() error {
	if c.grown == nil || !c.grown.Swap(false) {
		return nil
	}
	entries, err := os.ReadDir(c.folder)
	if err != nil {
		return fmt.Errorf("write the copy of the saved version: %w", err)
	}
	var kept []fs.FileInfo
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasSuffix(e.Name(), contentEnding) {
			kept = append(kept, info)
		}
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	size := int64(0)
	for i, info := range kept {
		if size += info.Size(); i >= maxContents || i > 0 && size > maxContentBytes {
			err = errors.Join(err, os.Remove(filepath.Join(c.folder, info.Name())))
		}
	}
	return err
}
