package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// reading is a database that is open to be read, whether or not a server uses it.
type reading struct {
	*sql.DB
	path string
	// frozen is the file's state, if SQLite could not lock it against other users: nobody may
	// change it meanwhile.
	frozen fs.FileInfo
}

// openToRead opens a database to be read. SQLite shares one by files that are beside
// it. Where they cannot be made, as in a folder that is not to be written or on a full
// disk, it is read without them: who writes it then writes a log first (checkUnchanged).
// A log that has something in it is read by one alone.
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

// openWith opens a database and reads its header.
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

// checkUnchanged returns an error if somebody has used the file during the read.
func (r reading) checkUnchanged() error {
	if r.frozen == nil {
		return nil
	}
	info, err := os.Stat(r.path)
	switch {
	case err != nil:
		return err
	case HasPendingLog(r.path), !os.SameFile(info, r.frozen), info.Size() != r.frozen.Size(), !info.ModTime().Equal(r.frozen.ModTime()):
		return fmt.Errorf("a server began to write the database %s while it was read: try it again", r.path)
	}
	return nil
}

// beside are the suffixes of SQLite's files with changes that are not in the database file yet.
var beside = []string{"-wal", "-shm"}

// HasPendingLog reports whether a database file is incomplete because the log beside it has the
// rest.
func HasPendingLog(path string) bool {
	info, err := os.Stat(path + beside[0])
	return err == nil && info.Size() > 0
}
