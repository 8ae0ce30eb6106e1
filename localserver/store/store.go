// Package store stores the data of the local server in a SQLite file or a PostgreSQL database. A
// method returns after its data is on the disk, subject to Options.Durability. Exported methods
// begin and commit transactions. Unexported functions run in a transaction. The SQL is in store/db.
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
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/cache"
	"github.com/parley-npc/parley/personas/engine"
)

// Durability is the worst failure that an acknowledged write survives.
type Durability int

const (
	// Full means that every commit waits for the disk. Writes survive a power cut.
	Full Durability = iota
	// Normal means that a power cut may lose openings, turns and forks of the last second. All other
	// commits wait for the disk.
	Normal
	// Volatile means that writes survive a killed process, but not a power cut.
	Volatile
)

// Memory is the Options.Path of a temporary database. Close deletes the database.
const Memory = ":memory:"

// Options configures a database.
type Options struct {
	// Path is a file, Memory, or the address of a PostgreSQL database (postgres://...). New files
	// and directories are accessible only to their owner.
	Path string
	// Password is for a PostgreSQL address without a password.
	Password string
	// Patience is how long Open waits for a PostgreSQL database. OnWait receives the reason for the
	// wait.
	Patience time.Duration
	OnWait   func(cause error)
	// Durability applies only to a file.
	Durability Durability
	// Now defaults to time.Now, and NewID to version 7 UUIDs.
	Now   func() time.Time
	NewID func() string
	// OnCommit is called after every commit with the number of writes and the duration. It must
	// return quickly. It may be nil.
	OnCommit func(writes int, duration time.Duration)

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

// Open opens or creates a database and migrates its schema. Open rejects, without a change, a
// database of another program or of a newer version. On a full disk, it opens the database for
// reading only.
func Open(ctx context.Context, options Options) (*Store, error) {
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.OnCommit == nil {
		options.OnCommit = func(int, time.Duration) {}
	}
	if options.NewID == nil {
		options.NewID = func() string { return uuid.Must(uuid.NewV7()).String() }
	}
	var backend database
	var err error
	if IsPostgres(options.Path) {
		backend, err = postgres.Open(ctx, options.forPostgres())
	} else {
		backend, err = openSQLite(ctx, options)
	}
	if err != nil {
		return nil, err
	}
	s := &Store{
		database: &countedDatabase{backend, newWriteCounts()}, versions: newVersionCache(), sessions: newSessionCache(),
		now: options.Now, newID: options.NewID,
	}
	s.views.Store(newViewCache())
	return s, nil
}

// Ping returns an error if the database does not answer or cannot be written. IsUnkept recognizes
// the error.
func (s *Store) Ping(ctx context.Context) error { return s.database.Ping(ctx) }

// Close closes the database. Calls that are still running fail.
func (s *Store) Close() error { return s.database.Close() }

func ifMissing(err, replacement error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return replacement
	}
	return err
}

func toMillis(t time.Time) int64 { return t.UnixMilli() }

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// RoundTime returns t in UTC and in whole milliseconds, like a stored time.
func RoundTime(t time.Time) time.Time { return fromMillis(toMillis(t)) }

func orNull(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// Errors of databases. SQLite files have separate ErrNewer, ErrForeign and ErrFull with other
// advice.
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

// IsUnkept reports whether err means that the database cannot store anything.
func IsUnkept(err error) bool { return ExplainUnkept(err) != "" }

// ExplainUnkept returns a message for callers, or "" if IsUnkept is false.
func ExplainUnkept(err error) string {
	for _, reason := range unkept {
		if errors.Is(err, reason.err) {
			return reason.err.Error() + reason.next
		}
	}
	return ""
}

const maxDocumentBytes = 128 << 20

const maxParsing = 2

type versionKey struct {
	personaID string
	version   int64
}

// A Version is a compiled version of a persona. It is shared and must not be changed.
type Version struct {
	Doc      *personas.Persona
	Rules    *engine.Persona
	Table    *personas.VariableTable
	Machines map[string]*personas.Machine // by key
}

type versionCache struct {
	cache   *cache.Cache[versionKey, *Version]
	parsed  atomic.Int64
	parsing chan struct{} // contains one element for each document that is being parsed
}

func newVersionCache() *versionCache {
	return &versionCache{
		cache: cache.New[versionKey, *Version](maxDocumentBytes), parsing: make(chan struct{}, maxParsing),
	}
}
