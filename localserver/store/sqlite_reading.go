package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// A reading is a database that is open for reading. A server may be using it.
type reading struct {
	*sql.DB
	path string
	// frozen is the state of the file when it was opened. It is set only if SQLite could not lock
	// the file.
	frozen fs.FileInfo
}

// openToRead opens a database for reading. A server may be using the database. SQLite may be unable
// to create files next to the database, because the directory is read-only or the disk is full. So
// the caller must call checkUnchanged after reading.
func openToRead(ctx context.Context, path string) (reading, error) {
	r, err := openWith(ctx, path, commonOptions+"&mode=ro")
	if !hasNoLog(err) {
		return r, err
	}
	if HasPendingLog(path) {
		r, soleErr := openWith(ctx, path, soleOptions)
		if soleErr != nil {
			return r, err
		}
		return r, nil
	}
	info, statErr := os.Stat(path)
	if statErr != nil {
		return reading{}, errors.Join(err, statErr)
	}
	r, err = openWith(ctx, path, frozenOptions)
	r.frozen = info
	return r, err
}

func openWith(ctx context.Context, path, options string) (reading, error) {
	pool, err := openPool(fileURI(absolutePath(path))+options, 1)
	if err != nil {
		return reading{}, err
	}
	var version int
	if err := pool.QueryRowContext(ctx, "PRAGMA schema_version").Scan(&version); err != nil {
		return reading{}, errors.Join(fmt.Errorf("read the database %s: %w", path, err), pool.Close())
	}
	return reading{DB: pool, path: path}, nil
}

func (r reading) checkUnchanged() error {
	if r.frozen == nil {
		return nil
	}
	info, err := os.Stat(r.path)
	switch {
	case err != nil:
		return err
	case HasPendingLog(r.path), !os.SameFile(info, r.frozen), info.Size() != r.frozen.Size(), !info.ModTime().Equal(r.frozen.ModTime()):
		return fmt.Errorf("a server began to write the database %s while it was being read: try again", r.path)
	}
	return nil
}

// beside contains the suffixes of the files next to a database file. They are SQLite's log and the
// index of the log.
var beside = []string{"-wal", "-shm"}

// HasPendingLog reports whether a database has a log with content. If it has, the database file
// alone is incomplete.
func HasPendingLog(path string) bool {
	info, err := os.Stat(path + beside[0])
	return err == nil && info.Size() > 0
}
