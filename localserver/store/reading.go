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
	// frozen is the file as it was, where SQLite could not keep order among those who
	// use it: nobody may have changed it meanwhile.
	frozen fs.FileInfo
}

// openToRead opens a database to be read. SQLite shares one by files that stand beside
// it. Where there are none and none can be made, as in a folder that is not to be
// written or on a full disk, nobody uses the database, and it is read without them.
func openToRead(ctx context.Context, path string) (reading, error) {
	r, err := openShared(ctx, path)
	if !hasNoLog(err) || isInUse(path) {
		return r, err
	}
	info, statErr := os.Stat(path)
	if statErr != nil {
		return reading{}, errors.Join(err, statErr)
	}
	pool, err := openPool(fileURI(absolutePath(path))+frozenOptions, 1)
	return reading{pool, path, info}, err
}

// openShared opens a database as one of those who use it, and reads a first byte.
func openShared(ctx context.Context, path string) (reading, error) {
	pool, err := openPool(fileURI(absolutePath(path))+commonOptions+"&mode=ro", 1)
	if err != nil {
		return reading{}, err
	}
	var version int
	if err := pool.QueryRowContext(ctx, "PRAGMA schema_version").Scan(&version); err != nil {
		return reading{}, errors.Join(fmt.Errorf("read the database %s: %w", path, err), pool.Close())
	}
	return reading{DB: pool, path: path}, nil
}

// checkUnchanged refuses what was read from a file that somebody has used meanwhile.
func (r reading) checkUnchanged() error {
	if r.frozen == nil {
		return nil
	}
	info, err := os.Stat(r.path)
	switch {
	case err != nil:
		return err
	case isInUse(r.path), !os.SameFile(info, r.frozen), info.Size() != r.frozen.Size(), !info.ModTime().Equal(r.frozen.ModTime()):
		return fmt.Errorf("a server began to write the database %s while it was read: try it again", r.path)
	}
	return nil
}

// beside are the ends of the names of the files in which SQLite keeps what is
// not in the database's own yet.
var beside = []string{"-wal", "-shm"}

// HasPendingLog reports whether what a database file says is only a part: its log,
// which stands beside it, has the rest.
func HasPendingLog(path string) bool {
	info, err := os.Stat(path + beside[0])
	return err == nil && info.Size() > 0
}

// isInUse reports whether somebody uses a database, or was killed while using it.
func isInUse(path string) bool {
	_, err := os.Stat(path + beside[0])
	return !errors.Is(err, fs.ErrNotExist)
}
