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

// ErrUnsynced refuses every write after a failed sync, because the state of the log on disk is
// unknown then.
var ErrUnsynced = errors.New("the disk of the data folder failed to take what was written")

// syncInterval is how long the turns of a database with Durability Normal wait for the disk
// at most, besides the time that the disk takes.
const syncInterval = time.Second

// logSync brings SQLite's write-ahead log to the disk for Durability Normal. SQLite itself
// does so at checkpoints only, which may be hours apart. It is safe for concurrent use.
type logSync struct {
	// file is the log; nil where nothing needs to be synced. It stays open: the log is the
	// same file until the database is closed.
	file *os.File
	disk disk

	mu      sync.Mutex
	timer   *time.Timer // set while a sync is due
	running sync.WaitGroup
	closed  bool
	failure error // the first sync that failed
}

// openLogSync opens the log of a database that is open to be written.
func openLogSync(ctx context.Context, writer *sql.DB, path string, on disk) (*logSync, error) {
	var mode string
	if err := writer.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&mode); err != nil {
		return nil, err
	}
	l := &logSync{disk: on}
	if mode != "wal" { // A file system without shared memory: SQLite syncs every commit there.
		return l, nil
	}
	// SQLite puts the log beside the file that a link leads to.
	whole, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, fmt.Errorf("find the log of the database: %w", err)
	}
	if l.file, err = os.OpenFile(whole+beside[0], os.O_RDWR, 0); err != nil {
		return nil, fmt.Errorf("open the log of the database: %w", err)
	}
	return l, nil
}

// syncCommit is called after each commit. With now it returns when the commit, and all
// commits before it, are on the disk; else they are within syncInterval.
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

// syncDue syncs everything committed since the timer was set. It clears the timer first, so that a
// commit during the sync sets it again.
func (l *logSync) syncDue() {
	defer l.running.Done()
	l.mu.Lock()
	l.timer = nil
	l.mu.Unlock()
	_ = l.sync() // Every later write is told.
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

// failed returns the first sync that failed, if any.
func (l *logSync) failed() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failure
}

// close ends the syncs. It must come before SQLite is closed, which writes the log back,
// syncs the database and removes the log.
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

// disk is how files and folders are brought to the disk; tests have others.
type disk struct {
	syncFile   func(*os.File) error
	syncFolder func(path string) error
}

func realDisk() disk { return disk{(*os.File).Sync, atomicfile.SyncFolder} }

// syncPath returns when a file is on the disk.
func (d disk) syncPath(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(d.syncFile(f), f.Close())
}

// syncNames syncs the directory of a new file and the directories above it, so that their names
// survive a power cut. It skips a directory that this user may not read.
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
