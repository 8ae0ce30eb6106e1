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
	file *os.File
	disk disk

	mu      sync.Mutex
	timer   *time.Timer
	running sync.WaitGroup
	closed  bool
	failure error
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
	if l == nil || l.file == nil {
		return nil
	}
	l.mu.Lock()
	failure := l.failure
	if !now && l.timer == nil && !l.closed && failure == nil {
		l.running.Add(1)
		l.timer = time.AfterFunc(syncInterval, l.syncDue)
	}
	l.mu.Unlock()
	if now && failure == nil {
		return l.sync()
	}
	return failure
}

// syncDue runs a scheduled sync. It clears the timer before the sync, so that a commit during the
// sync schedules another one.
func (l *logSync) syncDue() {
	defer l.running.Done()
	l.mu.Lock()
	l.timer = nil
	l.mu.Unlock()
	_ = l.sync() // Later writes return the error.
}

func (l *logSync) sync() error {
	err := l.disk.syncFile(l.file)
	if err == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure == nil {
		l.failure = fmt.Errorf("%w: %w", ErrUnsynced, err)
	}
	return l.failure
}

func (l *logSync) failed() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failure
}

// close ends the syncs. It must be called before SQLite is closed, because SQLite then removes the
// log.
func (l *logSync) close() error {
	if l == nil || l.file == nil {
		return nil
	}
	l.mu.Lock()
	l.closed = true
	if l.timer != nil && l.timer.Stop() {
		l.running.Done()
	}
	l.mu.Unlock()
	l.running.Wait()
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
