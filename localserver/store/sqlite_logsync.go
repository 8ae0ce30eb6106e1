package store

import (
	"context"
	"database/sql"
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

// ErrUnsynced means that a sync has failed. All later writes fail with ErrUnsynced too, because the
// state of the log on the disk is unknown.
var ErrUnsynced = errors.New("the disk of the data folder failed to store what was written")

// syncInterval is the maximum time between the commit of a turn and the start of the sync for it.
// It applies to the Durability Normal.
const syncInterval = time.Second

// logSync syncs SQLite's write-ahead log to the disk, for the Durability Normal. SQLite itself
// syncs the log only at checkpoints, and these may be hours apart. It is safe for concurrent use.
type logSync struct {
	// file is the log. It is nil if SQLite itself syncs every commit. The file stays open, because
	// SQLite uses the same file until the database is closed.
	file    *os.File
	disk    disk
	due     atomic.Bool // a sync is scheduled
	failure atomic.Pointer[error]

	mu     sync.Mutex // locked during a scheduled sync
	closed bool
}

func openLogSync(ctx context.Context, writer *sql.DB, path string, files disk) (*logSync, error) {
	var mode string
	if err := writer.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return nil, err
	}
	l := &logSync{disk: files}
	if mode != "wal" { // On a file system without shared memory, SQLite does not use a log and syncs every commit.
		return l, nil
	}
	// SQLite creates the log next to the target of a symbolic link.
	whole, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("find the log of the database: %w", err)
	}
	if l.file, err = os.OpenFile(whole+beside[0], os.O_RDWR, 0); err != nil {
		return nil, fmt.Errorf("open the log of the database: %w", err)
	}
	return l, nil
}

// syncCommit syncs the log, or schedules a sync within syncInterval if now is false. It must be
// called after each commit.
func (l *logSync) syncCommit(now bool) error {
	switch {
	case l == nil || l.file == nil:
		return nil
	case now:
		return l.sync()
	case !l.due.Swap(true):
		time.AfterFunc(syncInterval, l.syncDue)
	}
	return l.failed()
}

// syncDue runs a scheduled sync. It clears due before the sync, so that a commit during the sync
// schedules another one.
func (l *logSync) syncDue() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.due.Store(false)
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

// close ends the syncs. It must be called before SQLite is closed, because SQLite then removes the
// log.
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

// syncNames syncs the directory of a new file and all directories above it. So the name of the file
// survives a power cut. syncNames skips a directory that this user may not read.
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
