package db

import "errors"

// ErrEmpty means that no server has used the database yet.
var ErrEmpty = errors.New("no server has used it yet")

// Errors about the schema of a database.
var (
	// ErrOlder means that an older version has written the database. The next server migrates the
	// database.
	ErrOlder = errors.New("its schema is that of an older parley")
	// ErrNewer means that a newer version has written the database.
	ErrNewer = errors.New("use the newer parley that wrote it, or another database")
	// ErrForeign means that the database contains tables of another program.
	ErrForeign = errors.New("it contains tables of another program")
	// ErrForeignCode means that our tables contain code of another program, such as a trigger.
	ErrForeignCode = errors.New("another program has changed this database: " +
		"undo that change, or restore a snapshot into an empty database")
)

// ErrRefused means that the database rejects the user or the database name in the address.
var ErrRefused = errors.New("the database rejects the user or the database name in the address")

// ErrUnencrypted means that the address of another machine leaves the encryption open.
var ErrUnencrypted = errors.New("the address of a database on another machine must contain " +
	"sslmode=verify-full or sslmode=require for encryption, or sslmode=disable on a trusted network")

// ErrForbidden means that the user may not create tables in the database.
var ErrForbidden = errors.New("its user may not create tables: create the database with `createdb --owner USER`, " +
	"or let its owner run `GRANT CREATE ON SCHEMA public TO USER`")

// Errors of a database that cannot be read or written.
var (
	// ErrDown means that the database does not answer, or not in time.
	ErrDown = errors.New("the database does not answer")
	// ErrStarting means that the database is starting, recovering from a crash, or shutting down.
	ErrStarting = errors.New("the database is starting, recovering or shutting down")
	// ErrLocked means that another connection held a lock for longer than lock_timeout.
	ErrLocked = errors.New("another program has locked tables of the database")
	// ErrCrowded means that the database has the maximum number of connections.
	ErrCrowded = errors.New("the database has reached its maximum number of connections")
	// ErrFull means that the disk of the database is full.
	ErrFull = errors.New("the disk of the database is full")
	// ErrStandby means that the database can only be read.
	ErrStandby = errors.New("the database is read-only: it is a standby, or configured as read-only")
	// ErrContended means that every attempt of a write conflicted with other writes.
	ErrContended = errors.New("too many clients write the same rows at the same time")
)

// Errors of a database with rows that must not be replaced.
var (
	// ErrKept means that the database contains rows.
	ErrKept = errors.New("it already contains data")
	// ErrInUse means that servers are connected to the database.
	ErrInUse = errors.New("servers are using it")
)

// IsAway reports whether an error may be temporary.
func IsAway(err error) bool {
	return errors.Is(err, ErrDown) || errors.Is(err, ErrStarting) || errors.Is(err, ErrCrowded)
}

// State describes a database.
type State struct {
	// Engine is the kind and version of the database, such as "PostgreSQL 15.8".
	Engine string
	// Schema is the version of the schema, or 0 for an empty database. Known is the newest
	// supported version.
	Schema, Known int64
}
