package personafiles

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/atomicfile"
)

// lockTimeout is the timeout for a lock. A process that saves many files holds it for minutes.
const lockTimeout = 10 * time.Minute

// A HeldLock is a parley.lock that no other process changes until Release.
type HeldLock struct {
	*Lock
	path    string
	release func()
}

// HoldLock locks and reads a parley.lock. The directory must be writable. The wait for another
// process lasts up to ten minutes. The lock file is in the directory marks, outside the project.
func HoldLock(ctx context.Context, path, marks string) (*HeldLock, error) {
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	if err := os.MkdirAll(marks, 0o700); err != nil {
		return nil, fmt.Errorf("hold %s: %w", path, err)
	}
	release, err := settings.Lock(ctx, filepath.Join(marks, pathHash(resolveFolder(path))+".held"))
	if err != nil {
		return nil, fmt.Errorf("cannot lock %s; another parley process may be using it: %w", path, err)
	}
	h := &HeldLock{path: path, release: release}
	if h.Lock, err = ReadLock(path); err == nil {
		err = probeFolder(path)
	}
	if err != nil {
		release()
		return nil, err
	}
	return h, nil
}

func resolveFolder(path string) string {
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path))
	}
	return path
}

func pathHash(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

func probeFolder(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+LockName+"-*")
	if err != nil {
		return &UnwritableLockError{path, err}
	}
	_ = f.Close()
	_ = os.Remove(f.Name())
	return nil
}

// An UnwritableLockError means that a parley.lock cannot be written.
type UnwritableLockError struct {
	Path string
	err  error
}

func (u *UnwritableLockError) Error() string {
	return fmt.Sprintf("%s cannot be written: %v", u.Path, cli.PathReason(u.err))
}

func (u *UnwritableLockError) Unwrap() error { return u.err }

// MoveEntry stores an entry, removes the entry under the file's former name, and writes the lock.
func (h *HeldLock) MoveEntry(formerName string, e LockEntry) error {
	if err := h.PutEntry(e); err != nil {
		return err
	}
	if formerName != e.File {
		h.dropEntries(func(other LockEntry) bool { return other.Server == e.Server && other.File == formerName })
	}
	return h.writeLock()
}

// Drop removes the accepted entries. The lock is written only after a change.
func (h *HeldLock) Drop(accept func(LockEntry) bool) error {
	if !h.dropEntries(accept) {
		return nil
	}
	return h.writeLock()
}

func (h *HeldLock) writeLock() error {
	if err := atomicfile.Write(h.path, h.Encode(), 0o644); err != nil {
		return &UnwritableLockError{h.path, err}
	}
	return nil
}

// Release releases the lock. Further calls do nothing.
func (h *HeldLock) Release() {
	if h != nil && h.release != nil {
		h.release()
		h.release = nil
	}
}

// OwnEntries records the entries of a parley.lock that this machine wrote or its user approved.
// Other entries need approval, because a repository's author can map files to any persona.
type OwnEntries struct {
	file string
	Lock string            `json:"lock"`
	IDs  map[string]string `json:"ids"`
}

// ReadOwnEntries reads the record for a parley.lock. An empty folder disables storage. An
// unreadable record is empty, and the user is asked again.
func ReadOwnEntries(folder, lock string) *OwnEntries {
	lock = resolveFolder(lock)
	o := &OwnEntries{Lock: lock, IDs: map[string]string{}}
	if folder == "" {
		return o
	}
	o.file = filepath.Join(folder, pathHash(lock)+".own")
	text, err := atomicfile.Read(o.file)
	if err != nil {
		return o
	}
	var found OwnEntries
	if json.Unmarshal(text, &found) == nil && found.Lock == lock && found.IDs != nil {
		o.IDs = found.IDs
	}
	return o
}

func ownKey(e LockEntry) string { return e.Server + " " + e.File }

// HasEntry reports whether this machine recorded the same persona for the file and server.
func (o *OwnEntries) HasEntry(e LockEntry) bool { return e.ID != "" && o.IDs[ownKey(e)] == e.ID }

// AddEntry records an entry as written by this machine or approved by its user.
func (o *OwnEntries) AddEntry(e LockEntry) error {
	if o.HasEntry(e) {
		return nil
	}
	o.IDs[ownKey(e)] = e.ID
	if o.file == "" {
		return nil
	}
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	return atomicfile.Write(o.file, text, 0o600)
}

const (
	maxContents     = 500
	maxContentBytes = 64 << 20
)

const contentEnding = ".json"

// SavedContents stores the content of saved files by hash, for comparisons with the server.
type SavedContents struct{ folder string }

// NewSavedContents returns a store in a directory. An empty folder disables storage.
func NewSavedContents(folder string) SavedContents { return SavedContents{folder} }

func (c SavedContents) pathOf(hash string) string { return filepath.Join(c.folder, hash+contentEnding) }

// AddContent stores a text under its SHA-256 hash. Call DropOldest after the last call.
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
	return nil
}

// FindContent returns the content with the given hash, or fs.ErrNotExist.
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

// DropOldest removes the oldest contents beyond 500 files or 64 MiB.
func (c SavedContents) DropOldest() error {
	entries, err := os.ReadDir(c.folder)
	if c.folder == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write the copy of the saved version: %w", err)
	}
	var contents []fs.FileInfo
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && strings.HasSuffix(entry.Name(), contentEnding) {
			contents = append(contents, info)
		}
	}
	slices.SortFunc(contents, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	size := int64(0)
	for i, info := range contents {
		size += info.Size()
		if i >= maxContents || i > 0 && size > maxContentBytes {
			err = errors.Join(err, os.Remove(filepath.Join(c.folder, info.Name())))
		}
	}
	return err
}
