package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/parley-npc/parley/personas/atomicfile"
)

// ErrUnsynced means that a sync has failed. All later writes then fail too, because the content of
// the disk is unknown.
var ErrUnsynced = errors.New("the disk of the data folder failed to store what was written")

const syncInterval = time.Second

// logSync is for the Durability Normal. SQLite syncs only at checkpoints, and these may be hours
// apart.
type logSync struct {
	// file is nil if SQLite itself syncs every commit.
	file      *os.File
	disk      disk
	scheduled atomic.Bool // a sync is scheduled
	failure   atomic.Pointer[error]

	mu     sync.Mutex // locked during a scheduled sync
	closed bool
}

func (l *logSync) syncOrSchedule(now bool) error {
	switch {
	case l == nil || l.file == nil:
		return nil
	case now:
		return l.sync()
	case !l.scheduled.Swap(true):
		time.AfterFunc(syncInterval, l.syncScheduled)
	}
	return l.failed()
}

// scheduled is cleared before the sync, so a commit during the sync schedules another sync.
func (l *logSync) syncScheduled() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.scheduled.Store(false)
	if !l.closed {
		_ = l.sync() // Later writes return the error.
	}
}

func (l *logSync) sync() error {
	if err := l.failed(); err != nil {
		return err
	}
	if err := l.disk.syncFile(l.file); err != nil {
		err = fmt.Errorf("%w: %w", ErrUnsynced, err)
		l.failure.CompareAndSwap(nil, &err)
	}
	return l.failed()
}

func (l *logSync) failed() error {
	if l == nil {
		return nil
	}
	if err := l.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// close must run before SQLite is closed, because SQLite then removes the log.
func (l *logSync) close() error {
	if l == nil || l.file == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return l.file.Close()
}

type disk struct {
	syncFile   func(*os.File) error
	syncFolder func(path string) error
}

func realDisk() disk { return disk{(*os.File).Sync, atomicfile.SyncFolder} }

func (d disk) syncPath(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(d.syncFile(f), f.Close())
}

// A file's name survives a power cut only if its directories are synced too.
func (d disk) syncNames(path string) error {
	for folder := filepath.Dir(path); ; folder = filepath.Dir(folder) {
		if err := d.syncFolder(folder); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		if folder == filepath.Dir(folder) {
			return nil
		}
	}
}
