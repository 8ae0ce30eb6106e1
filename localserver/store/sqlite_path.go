package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

var errNoSQLite = errors.New(
	"this build of parley does not contain SQLite: build it with CGO_ENABLED=1 and a C compiler",
)

func (s *sqliteDatabase) preparePath(ctx context.Context, options *Options) (path string, err error) {
	if options.steps.files == nil {
		options.steps = ownSteps()
	}
	if options.probeRoom == nil {
		options.probeRoom = probeRoom
	}
	if options.disk.syncFile == nil {
		options.disk = realDisk()
	}
	switch path = options.Path; path {
	case "":
		return "", errors.New("the path of the database is empty")
	case Memory:
		folder, err := os.MkdirTemp("", "parley-*")
		if err != nil {
			return "", fmt.Errorf("create a temporary folder for the database: %w", err)
		}
		s.temporary = folder
		path, options.Durability = filepath.Join(folder, "parley.db"), Volatile
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", fmt.Errorf("find the database: %w", err)
	}
	if err := CheckPath(path); err != nil {
		return "", err
	}
	return path, prepareFile(ctx, path, options)
}

// The data source name contains these options, because a PRAGMA affects only one connection of a
// pool.
const (
	commonOptions = "?_foreign_keys=on&_busy_timeout=5000&_stmt_cache_size=32"
	writerOptions = commonOptions + "&_journal_mode=WAL&_txlock=immediate&_synchronous="
	readerOptions = commonOptions + "&mode=ro&_query_only=on"
	frozenOptions = commonOptions + "&mode=ro&immutable=1"
	// soleOptions are for a file that no other process uses. SQLite then reads the log without an
	// index file.
	soleOptions = commonOptions + "&_locking_mode=EXCLUSIVE"
)

var synchronous = [...]string{Full: "FULL", Normal: "NORMAL", Volatile: "OFF"}

func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + (&url.URL{Path: path}).EscapedPath()
}

func readerConnections() int { return max(4, runtime.GOMAXPROCS(0)) }

func openPool(dsn string, connections int) (*sql.DB, error) {
	if !hasSQLite {
		return nil, errNoSQLite
	}
	pool, err := sql.Open("sqlite3", dsn)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	return pool, nil
}

// CheckPath returns an error for a path that is too long for SQLite. SQLite's own error omits the
// reason.
func CheckPath(path string) error {
	limit := 512 // bytes
	if runtime.GOOS == "windows" {
		limit = 1040
	}
	limit -= len("-journal") // the longest suffix that SQLite adds
	if absolute := absolutePath(path); len(absolute) > limit {
		return fmt.Errorf(
			"the path is too long: %s has %d bytes, but SQLite supports at most %d: use a shorter path", absolute,
			len(absolute), limit,
		)
	}
	return nil
}
