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
	"syscall"
)

var errNoSQLite = errors.New("this build of parley does not contain SQLite: build it with CGO_ENABLED=1 and a C compiler")

// preparePath creates the database's directory and file with access only for their owner, and returns the
// absolute path. It also sets the options that tests replace.
func (s *sqliteDatabase) preparePath(ctx context.Context, o *Options) (path string, err error) {
	if o.steps.files == nil {
		o.steps = ownSteps()
	}
	if o.probeRoom == nil {
		o.probeRoom = probeRoom
	}
	if o.disk.syncFile == nil {
		o.disk = realDisk()
	}
	switch path = o.Path; path {
	case "":
		return "", errors.New("the path of the database is empty")
	case Memory:
		folder, err := os.MkdirTemp("", "parley-*")
		if err != nil {
			return "", fmt.Errorf("create a temporary folder for the database: %w", err)
		}
		s.temporary = folder
		path, o.Durability = filepath.Join(folder, "parley.db"), Volatile
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", fmt.Errorf("find the database: %w", err)
	}
	if err := CheckPath(path); err != nil {
		return "", err
	}
	return path, ExplainLength(prepareFile(ctx, path, o))
}

// Options are part of the data source name, because a PRAGMA would affect only one connection of a
// pool. The statement cache of each connection is large enough for the statements of a turn.
const (
	commonOptions = "?_foreign_keys=on&_busy_timeout=5000&_stmt_cache_size=32"
	writerOptions = commonOptions + "&_journal_mode=WAL&_txlock=immediate&_synchronous="
	readerOptions = commonOptions + "&mode=ro&_query_only=on"
	// frozenOptions are for a file that no process changes while it is open, so that SQLite needs
	// neither locks nor a log.
	frozenOptions = commonOptions + "&mode=ro&immutable=1"
	// soleOptions are for a file that no other process uses. SQLite then reads its log without an
	// index file.
	soleOptions = commonOptions + "&_locking_mode=EXCLUSIVE"
)

var synchronous = [...]string{Full: "FULL", Normal: "NORMAL", Volatile: "OFF"}

// fileURI returns the URI of a file and escapes special characters. A Windows path begins with a
// drive letter and gets a leading slash.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + (&url.URL{Path: path}).EscapedPath()
}

func readerConnections() int { return max(4, runtime.GOMAXPROCS(0)) }

func openPool(dsn string, connections int) (*sql.DB, error) {
	pool, err := sql.Open("sqlite3", dsn)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	return pool, nil
}

// ErrTooLong means that a path is longer than SQLite or the operating system supports.
var ErrTooLong = errors.New("the path is too long")

// maxPath returns the maximum length of a database's path in bytes. It is SQLite's limit on this
// system minus the longest suffix that SQLite adds ("-journal").
func maxPath() int {
	if runtime.GOOS == "windows" {
		return 1040 - 8
	}
	return 512 - 8
}

// CheckPath returns ErrTooLong if SQLite could not open a database at the path. It does not create
// or change files.
func CheckPath(path string) error {
	whole := resolvePath(absolutePath(path))
	if len(whole) > maxPath() {
		return fmt.Errorf("%w: %s has %d bytes, but SQLite supports at most %d: use a shorter path", ErrTooLong, whole, len(whole), maxPath())
	}
	return nil
}

// resolvePath resolves the symbolic links in the existing part of a path, as SQLite does.
func resolvePath(path string) string {
	if runtime.GOOS == "windows" {
		return path
	}
	rest := ""
	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		if found, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(found, rest)
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
	return path
}

// maxName is the maximum length of the name of a file or directory on most file systems, in bytes.
const maxName = 255

// ExplainLength wraps err in ErrTooLong and adds the limit, if the operating system reports that a
// name is too long. It returns other errors unchanged.
func ExplainLength(err error) error {
	if !errors.Is(err, syscall.ENAMETOOLONG) {
		return err
	}
	return fmt.Errorf("%w: %w: the name of a file or folder in the path is longer than this system supports (%d bytes on most disks)", ErrTooLong, err, maxName)
}
