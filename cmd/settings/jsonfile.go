package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/parley-npc/parley/personas/atomicfile"
)

type jsonFile[V any] struct {
	path     string
	name     string
	patience time.Duration
	maxSize  int                     // in bytes, or 0 for no limit
	damaged  func(cause error) error // If the result is nil, the object is empty.

	mu     sync.Mutex
	memory map[string]V // nil for a file
}

func (f *jsonFile[V]) view(look func(map[string]V)) error {
	if f.memory != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		look(f.memory)
		return nil
	}
	all, err := f.read()
	if err == nil {
		look(all)
	}
	return err
}

func (f *jsonFile[V]) read() (map[string]V, error) {
	text, err := atomicfile.Read(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]V{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.name, err)
	}
	var all map[string]V
	if f.maxSize > 0 && len(text) > f.maxSize {
		return map[string]V{}, f.damaged(nil)
	}
	if err := json.Unmarshal(text, &all); err != nil || all == nil {
		return map[string]V{}, f.damaged(err)
	}
	return all, nil
}

func (f *jsonFile[V]) change(edit func(map[string]V)) error {
	if f.memory != nil {
		return f.view(edit)
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	unlock, err := lockWithin(f.patience, f.path+".lock")
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	defer unlock()
	all, err := f.read()
	if err != nil {
		return err
	}
	edit(all)
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return atomicfile.Write(f.path, append(text, '\n'), 0o600)
}

const lockTimeout = 3 * time.Second

func lockWithin(patience time.Duration, path string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return Lock(ctx, path)
}

// Lock acquires an exclusive lock on a file, or waits until ctx is done.
func Lock(ctx context.Context, path string) (unlock func(), err error) {
	if err := atomicfile.CheckNew(path); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	l := flock.New(path, flock.SetPermissions(0o600))
	if _, err := l.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = l.Unlock() }, nil
}
