// Package store keeps the local server's data: users, personas in their versions, players' sessions
// with every message, their progress, API keys, and the answers to idempotent calls. It is one
// SQLite file in WAL mode with one writing connection and several reading ones, or a PostgreSQL
// database (store/postgres). Everything that a method has acknowledged is on disk, subject to
// Options.Durability. The operations are written once: exported methods begin and commit,
// unexported functions take the transaction, and the SQL is in queries, for both databases (store/db).
// It never calls a model, and never decides what a machine does.
package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Durability describes what an acknowledged write survives.
type Durability int

const (
	// Full survives a power cut: every commit waits for the disk.
	Full Durability = iota
	// Normal survives a killed process. A power cut may lose the openings and turns of the
	// last second; every other commit waits for the disk.
	Normal
	// Volatile survives a killed process and no power cut. It is for data that goes with the
	// server.
	Volatile
)

// Memory as a path means a private temporary directory that Close removes: nothing is kept, and
// everything else works as on disk.
const Memory = ":memory:"

// Options describe where the database is and how it behaves.
type Options struct {
	// Path is the database file, or Memory. It and its folder are created with
	// access for their owner only. Or it is the address of a PostgreSQL database,
	// postgres://..., which several processes may use at once.
	Path string
	// Password is used for PostgreSQL if the address lacks one.
	Password string
	// Patience is for how long Open waits for a PostgreSQL database that is starting or cannot
	// be reached, and OnWait is told why.
	Patience time.Duration
	OnWait   func(why error)
	// Durability is for a file; a PostgreSQL database has its own.
	Durability Durability
	// Now and NewID default to the clock and to UUIDs of version 7.
	Now   func() time.Time
	NewID func() string
	// OnCommit is called after every commit with the number of writes that shared it and its
	// duration. It must be quick and may be nil.
	OnCommit func(writes int, took time.Duration)

	steps     schemaSteps             // of the schema; tests have others
	probeRoom func(path string) error // probeRoom, or what a test says of the disk
	disk      disk                    // realDisk, or what a test records
}

// Store is an open database. It is safe for concurrent use.
type Store struct {
	database  *countedDatabase
	views     viewCache
	documents *documentCache
	sessions  *sessionCache
	now       func() time.Time
	newID     func() string
}

// Open opens the database, creates it if it does not exist, and migrates its schema. It refuses,
// without changing it, a file that is not a database of this program, that a newer one has written
// or that another one has changed. While the disk is full, it opens the database for reading; then
// nobody else may write it.
func Open(ctx context.Context, o Options) (*Store, error) {
	o = o.withDefaults()
	kept, err := openDatabase(ctx, o)
	if err != nil {
		return nil, err
	}
	return &Store{database: &countedDatabase{kept, newWriteCounts()}, documents: newDocumentCache(), sessions: newSessionCache(), now: o.Now, newID: o.NewID}, nil
}

// withDefaults fills in unset options.
func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.OnCommit == nil {
		o.OnCommit = func(int, time.Duration) {}
	}
	if o.NewID == nil {
		o.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	return o
}

// Ping reports whether the database answers and can be written; if not, IsUnkept knows
// the error.
func (s *Store) Ping(ctx context.Context) error { return s.database.Ping(ctx) }

// Close closes the database. Calls that are still running fail.
func (s *Store) Close() error { return s.database.Close() }

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
