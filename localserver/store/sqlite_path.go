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

var errNoSQLite = errors.New("this build of parley has no SQLite: build it with CGO_ENABLED=1 and a C compiler")

// preparePath creates the directory and the file, both only for their owner, so that SQLite's files
// beside it are private too. It fills in options that tests may set.
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
		return "", errors.New("no database file is named")
	case Memory:
		folder, err := os.MkdirTemp("", "parley-*")
		if err != nil {
			return "", fmt.Errorf("make a temporary folder for the database: %w", err)
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

// Options are in the name of the database, since a PRAGMA reaches only one
// connection of a pool. Each connection keeps the statements of a turn, and a few
// more, prepared.
const (
	commonOptions = "?_foreign_keys=on&_busy_timeout=5000&_stmt_cache_size=32"
	writerOptions = commonOptions + "&_journal_mode=WAL&_txlock=immediate&_synchronous="
	readerOptions = commonOptions + "&mode=ro&_query_only=on"
	// frozenOptions are for a file that nobody changes meanwhile, which needs neither locks nor a
	// log.
	frozenOptions = commonOptions + "&mode=ro&immutable=1"
	// soleOptions are for a file that nobody else uses: its log is read without an index beside it.
	soleOptions = commonOptions + "&_locking_mode=EXCLUSIVE"
)

// synchronous are SQLite's words for a Durability.
var synchronous = [...]string{Full: "FULL", Normal: "NORMAL", Volatile: "OFF"}

func writerDSN(path string, d Durability) string {
	return fileURI(path) + writerOptions + synchronous[d]
}

// fileURI escapes characters with a meaning in SQLite's file names. A Windows path begins with a
// drive and gets a slash in front.
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

// ErrTooLong is the refusal of a path that SQLite, or this system, does not take.
var ErrTooLong = errors.New("the path is too long")

// maxPath is how many bytes the path of a database may have: what SQLite takes on this
// system without the longest end that it adds to one ("-journal").
func maxPath() int {
	if runtime.GOOS == "windows" {
		return 1040 - 8
	}
	return 512 - 8
}

// CheckPath refuses the path of a database that SQLite would not open (ErrTooLong). It
// touches nothing.
func CheckPath(path string) error {
	whole := resolvePath(absolutePath(path))
	if len(whole) > maxPath() {
		return fmt.Errorf("%w: %s has %d bytes, and a database takes at most %d: name a shorter folder", ErrTooLong, whole, len(whole), maxPath())
	}
	return nil
}

// resolvePath follows the links of a path, as far as there is something, like SQLite.
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

// maxName is how many bytes most file systems take for a file or folder.
const maxName = 255

// ExplainLength adds to a system's error about a path which limit it is about.
func ExplainLength(err error) error {
	if !errors.Is(err, syscall.ENAMETOOLONG) {
		return err
	}
	return fmt.Errorf("%w: %w: one file or folder in it has a longer name than this system takes (%d bytes on most disks)", ErrTooLong, err, maxName)
}
