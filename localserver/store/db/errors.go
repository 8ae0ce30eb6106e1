package db

import "errors"

// ErrEmpty: no server has kept anything in a database yet.
var ErrEmpty = errors.New("no server has kept anything there yet")

// Schemas that are not of this version.
var (
	// ErrOlder: the next server of this version brings it up to date.
	ErrOlder = errors.New("its schema is that of an older parley")
	// ErrNewer means that a later version wrote the database.
	ErrNewer = errors.New("use the newer parley that wrote it, or another database")
	// ErrForeign: there are tables that are not ours.
	ErrForeign = errors.New("it has tables of another program")
	// ErrForeignCode: in our tables there is something that would be executed.
	ErrForeignCode = errors.New("another program has changed this database: drop that, or restore a snapshot into an empty database")
)

// ErrRefused means that the database rejects the user in the address.
var ErrRefused = errors.New("the database refuses whom the address names")

// ErrUnencrypted: a connection to another machine may go unencrypted.
var ErrUnencrypted = errors.New("the address must say by sslmode whether the way to another machine is encrypted: sslmode=verify-full or require, or disable on a network of your own")

// ErrForbidden: the database is there, and its user may make no tables.
var ErrForbidden = errors.New("its user may make no tables there: make the database with `createdb --owner USER`, or let its owner run `GRANT CREATE ON SCHEMA public TO USER`")

// Why nothing can be read or kept.
var (
	// ErrDown: the database does not answer, or not in time.
	ErrDown = errors.New("the database does not answer")
	// ErrStarting: the database starts, recovers from a crash, or shuts down.
	ErrStarting = errors.New("the database is starting, recovering or shutting down")
	// ErrLocked: somebody else held a lock on the rows or tables for longer than lock_timeout.
	ErrLocked = errors.New("another program has locked tables of the database")
	// ErrCrowded: the database has as many connections as it may have.
	ErrCrowded = errors.New("the database has no connection left")
	// ErrFull means that the disk of the database is full.
	ErrFull = errors.New("the disk of the database is full")
	// ErrStandby: the database can only be read.
	ErrStandby = errors.New("the database takes no writes: it is a standby, or set to be read only")
	// ErrContended: others wrote the same rows each time that a write was tried.
	ErrContended = errors.New("too many write the same rows at once")
)

// The reasons why the rows of a database must not be replaced.
var (
	// ErrKept: it has rows.
	ErrKept = errors.New("there is data in it already")
	// ErrInUse: servers are connected to it.
	ErrInUse = errors.New("servers use it")
	// ErrRestoring: another restore is under way.
	ErrRestoring = errors.New("another restore into it is under way")
)

// IsAway reports whether an error is temporary: the database is starting, or cannot be reached.
func IsAway(err error) bool {
	return errors.Is(err, ErrDown) || errors.Is(err, ErrStarting) || errors.Is(err, ErrCrowded)
}

// State describes a database, as far as known.
type State struct {
	// Engine is its kind and version, such as "PostgreSQL 15.8".
	Engine string
	// Schema is the version of the schema, Known the newest one that this program knows; 0 without
	// a schema.
	Schema, Known int64
	// Restoring means that a restore into it was begun and has not finished.
	Restoring bool
}
