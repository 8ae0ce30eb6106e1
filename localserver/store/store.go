// Package store stores the data of the local server. This is users, personas with their versions,
// players' sessions and progress, API keys, and answers to idempotent calls. The database is one
// SQLite file in WAL mode, or a PostgreSQL database (store/postgres). When a method returns, the
// data that it wrote is on the disk, subject to Options.Durability. Exported methods begin and
// commit transactions. Unexported functions run in a transaction. The SQL is in store/db.
package store

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/parley-npc/parley/localserver/store/db"
	"github.com/parley-npc/parley/localserver/store/postgres"
)

// Durability is the worst kind of failure that an acknowledged write survives.
type Durability int

const (
	// Full means that writes survive a power cut, because every commit waits for the disk.
	Full Durability = iota
	// Normal means that writes survive a killed process. A power cut may lose the openings and
	// turns of the last second. All other commits wait for the disk.
	Normal
	// Volatile means that writes survive a killed process but not a power cut. It is for data that
	// is deleted when the server stops.
	Volatile
)

// Memory can be used as Options.Path. It means a database in a private temporary directory. Close
// removes the directory.
const Memory = ":memory:"

// Options configures the location and the behaviour of a database.
type Options struct {
	// Path is the path of the database file, Memory, or the address of a PostgreSQL database
	// (postgres://...). Several processes may use a PostgreSQL database at the same time. If a file
	// and its directory are created, only their owner can access them.
	Path string
	// Password is the password for PostgreSQL if the address does not contain one.
	Password string
	// Patience is the time that Open waits for a PostgreSQL database that is starting or cannot be
	// reached. OnWait is called with the reason for the wait.
	Patience time.Duration
	OnWait   func(why error)
	// Durability applies only to a file. PostgreSQL has its own settings.
	Durability Durability
	// Now defaults to time.Now, NewID to UUIDs of version 7.
	Now   func() time.Time
	NewID func() string
	// OnCommit is called after every commit. writes is the number of writes in the commit. took is
	// the duration of the commit. OnCommit must be quick. It may be nil.
	OnCommit func(writes int, took time.Duration)

	steps     schemaSteps             // the migrations; tests replace them
	probeRoom func(path string) error // probeRoom; tests replace it
	disk      disk                    // realDisk; tests replace it
}

// A Store is an open database. It is safe for concurrent use.
type Store struct {
	database *countedDatabase
	views    atomic.Pointer[viewCache] // replaced before a change of any persona is acknowledged
	versions *versionCache
	sessions sessionCache
	now      func() time.Time
	newID    func() string
}

// Open opens a database and migrates its schema. It creates a database that does not exist. If the
// file is not a database of this program, was written by a newer version, or was changed by another
// program, Open changes nothing and returns an error. If the disk is full, Open opens the database
// for reading only.
func Open(ctx context.Context, o Options) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.OnCommit == nil {
		o.OnCommit = func(int, time.Duration) {}
	}
	if o.NewID == nil {
		o.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	var kept database
	var err error
	if IsPostgres(o.Path) {
		kept, err = postgres.Open(ctx, o.forPostgres())
	} else {
		kept, err = openSQLite(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	s := &Store{database: &countedDatabase{kept, newWriteCounts()}, versions: newVersionCache(), sessions: newSessionCache(), now: o.Now, newID: o.NewID}
	s.views.Store(newViewCache())
	return s, nil
}

// Ping returns an error if the database does not answer or cannot be written. For this error,
// IsUnkept returns true.
func (s *Store) Ping(ctx context.Context) error { return s.database.Ping(ctx) }

// Close closes the database. Calls that are still running fail.
func (s *Store) Close() error { return s.database.Close() }

// ifMissing returns replacement if err means that a row is missing. It returns any other error
// unchanged.
func ifMissing(err, replacement error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return replacement
	}
	return err
}

func toMillis(t time.Time) int64 { return t.UnixMilli() }

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// RoundTime returns t in UTC and in whole milliseconds. The store keeps times in this form.
func RoundTime(t time.Time) time.Time { return fromMillis(toMillis(t)) }

func orNull(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// Errors of databases. SQLite files have their own ErrNewer, ErrForeign and ErrFull, because the
// messages of those contain different advice.
var (
	ErrEmpty error = db.ErrEmpty
	ErrKept  error = db.ErrKept
	ErrInUse error = db.ErrInUse
	ErrOlder error = db.ErrOlder

	ErrDatabaseNewer   error = db.ErrNewer
	ErrDatabaseForeign error = db.ErrForeign
	ErrForeignCode     error = db.ErrForeignCode

	ErrRefused  error = db.ErrRefused
	ErrNoRights error = db.ErrForbidden
	ErrDown     error = db.ErrDown
	ErrStarting error = db.ErrStarting
	ErrCrowded  error = db.ErrCrowded
	ErrStandby  error = db.ErrStandby
)

// unkept lists the errors, of both kinds of databases, that mean that nothing can be stored. next
// is advice that is appended to the message of the error.
var unkept = [...]struct {
	err  error
	next string
}{
	{ErrLost, ", start the server again"},
	{ErrUnsynced, ": check the disk and start the server again"},
	{ErrReadOnly, ""},
	{ErrFull, ""},
	{db.ErrStarting, ", try it again in a moment"},
	{db.ErrLocked, ", try it again in a moment"},
	{db.ErrDown, ", try it again in a moment"},
	{db.ErrCrowded, ", try it again in a moment"},
	{db.ErrFull, ""},
	{db.ErrStandby, ""},
	{db.ErrContended, ", try it again in a moment"},
}

// IsUnkept reports whether err means that nothing can be stored.
func IsUnkept(err error) bool { return ExplainUnkept(err) != "" }

// ExplainUnkept returns a message for callers that explains why nothing can be stored. It returns
// "" for all other errors.
func ExplainUnkept(err error) string {
	for _, reason := range unkept {
		if errors.Is(err, reason.err) {
			return reason.err.Error() + reason.next
		}
	}
	return ""
}
