// Package store keeps what the local server must remember: users, personas in their
// versions, players' sessions with every message, their progress, API keys, and
// the answers to calls that may be sent again. It is one SQLite file in WAL mode
// with one writing connection and several reading ones; whatever a method has
// acknowledged is on disk. Exported methods begin and commit, unexported
// functions take the transaction and hold the SQL (generated into store/db). It
// never asks a model, and never decides what a machine does.
package store

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/localserver/store/db"
)

// Durability says what an acknowledged write survives.
type Durability int

const (
	// Full survives a power cut: every commit waits for the disk.
	Full Durability = iota
	// Normal survives a killed process, but a power cut may lose the last commits.
	Normal
)

// Memory as a path means a private temporary folder that Close removes: nothing
// is kept, and all else is as on disk.
const Memory = ":memory:"

// Options say where the database is and how it behaves.
type Options struct {
	// Path is the database file, or Memory. It and its folder are created with
	// access for their owner only.
	Path       string
	Durability Durability
	// Now and NewID default to the clock and to UUIDs of version 7.
	Now   func() time.Time
	NewID func() string
	// OnCommit is told of every commit: how many writes shared it and how long it
	// took. It must be quick and may be nil.
	OnCommit func(writes int, took time.Duration)

	steps     schemaSteps             // of the schema; tests have others
	probeRoom func(path string) error // probeRoom, or what a test says of the disk
}

// Store is an open database. It is safe for concurrent use.
type Store struct {
	connections
	watch     fileWatch
	queue     writeQueue
	views     viewCache
	documents *documentCache
	now       func() time.Time
	newID     func() string
	committed func(writes int, took time.Duration)
	temporary string // folder to remove at Close
}

// Open opens the database, creates it where there is none, and brings its schema
// up to date. It refuses, and leaves as it is, a file that is no database of
// this program, that a newer one has written or that another one has changed. While the
// disk is full, it opens the database for reading; then nobody else may write it.
func Open(ctx context.Context, o Options) (*Store, error) {
	if !hasSQLite {
		return nil, errNoSQLite
	}
	s := &Store{now: o.Now, newID: o.NewID, committed: o.OnCommit, documents: newDocumentCache(), queue: writeQueue{slot: make(chan struct{}, 1)}}
	if s.now == nil {
		s.now = time.Now
	}
	if s.committed == nil {
		s.committed = func(int, time.Duration) {}
	}
	if s.newID == nil {
		s.newID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	if err := s.openDatabase(ctx, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) openDatabase(ctx context.Context, o Options) error {
	path, err := s.preparePath(o.Path)
	if err != nil {
		return err
	}
	if o.steps.files == nil {
		o.steps = ownSteps()
	}
	if o.probeRoom == nil {
		o.probeRoom = probeRoom
	}
	s.watch.path, s.watch.probe = path, o.probeRoom
	s.connections, err = openToWrite(ctx, path, o)
	if err != nil && errors.Is(s.watch.checkRoom(), ErrFull) {
		s.connections, err = openOnFullDisk(ctx, path, o.steps, err)
		s.watch.readOnly = true
	}
	if err != nil {
		return err
	}
	return s.watch.rememberFiles()
}

// Ping reports whether the database answers and can be written: whether its files have
// their names (ErrLost) and there is room (ErrFull, ErrReadOnly).
func (s *Store) Ping(ctx context.Context) error {
	if err := s.watch.checkFiles(); err != nil {
		return err
	}
	if err := s.watch.checkRoom(); err != nil {
		return err
	}
	return s.readers.PingContext(ctx)
}

// Close writes the log back into the database file and closes it. Calls that
// are still running fail.
func (s *Store) Close() error {
	err := s.closeBoth()
	if s.temporary != "" {
		err = errors.Join(err, os.RemoveAll(s.temporary))
	}
	return err
}

// txWork is what happens inside a transaction.
type txWork func(ctx context.Context, q *db.Queries) error

// runRead does the work on one snapshot of the database. A caller can give up
// while no connection is free; the statements are short and are not
// interrupted, since each that can be costs a goroutine. For the same reason
// this is no sql.Tx.
func (s *Store) runRead(ctx context.Context, do txWork) error {
	return s.withConnection(ctx, func(ctx context.Context, conn *sql.Conn) error {
		if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
			return err
		}
		defer func() { _, _ = conn.ExecContext(ctx, "ROLLBACK") }()
		return do(ctx, db.New(conn))
	})
}

// runQuery is runRead for a single statement, which is a snapshot by itself.
func (s *Store) runQuery(ctx context.Context, do txWork) error {
	return s.withConnection(ctx, func(ctx context.Context, conn *sql.Conn) error { return do(ctx, db.New(conn)) })
}

func (s *Store) withConnection(ctx context.Context, use func(context.Context, *sql.Conn) error) error {
	conn, err := s.readers.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return use(context.WithoutCancel(ctx), conn)
}

// mapNotFound turns a missing row into ErrNotFound.
func mapNotFound(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return ErrNotFound
	}
	return err
}

func toMillis(t time.Time) int64 { return t.UnixMilli() }

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// RoundTime returns the time as the store keeps it: UTC, whole milliseconds.
func RoundTime(t time.Time) time.Time { return fromMillis(toMillis(t)) }

func orNull(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }
