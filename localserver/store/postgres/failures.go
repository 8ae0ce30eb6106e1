package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

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

// Codes of PostgreSQL, from its appendix "Error Codes".
const (
	codeSerialization = "40001"
	codeDeadlock      = "40P01"
	codeUnique        = "23505"
	codeForeignKey    = "23503"
	codeReadOnly      = "25006"
	codeForbidden     = "42501"
	codeCrowded       = "53300"
	codeDiskFull      = "53100"
	codeLockTaken     = "55P03"
	codeStarting      = "57P03"
	codeCanceled      = "57014" // by statement_timeout
	codeNoDatabase    = "3D000"
	classSignIn       = "28"
)

// downCodes are the codes of a database that shuts down, starts up or refuses another connection;
// classes have two characters.
var downCodes = []string{"08", "57P01", "57P02", codeStarting, "57P05", codeCanceled, codeLockTaken, codeCrowded, "53200", "25P03"}

// reasons are the errors of this package that callers distinguish.
var reasons = [...]error{
	ErrEmpty, ErrKept, ErrInUse, ErrRestoring, ErrOlder, ErrNewer, ErrForeign, ErrForeignCode, ErrForbidden,
	ErrRefused, ErrCrowded, ErrStarting, ErrLocked, ErrDown, ErrFull, ErrStandby, ErrContended,
}

// IsAway reports whether an error is temporary: the database is starting, or cannot be reached.
func IsAway(err error) bool {
	return errors.Is(err, ErrDown) || errors.Is(err, ErrStarting) || errors.Is(err, ErrCrowded)
}

// findReason returns the reason of an error, or nil.
func findReason(err error) error {
	for _, reason := range reasons {
		if errors.Is(err, reason) {
			return reason
		}
	}
	return nil
}

func codeOf(err error) string {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return refused.Code
	}
	return ""
}

// isContended reports whether the same work may succeed when repeated, because somebody else has
// changed the rows that it read.
func isContended(err error) bool {
	return slices.Contains([]string{codeSerialization, codeDeadlock}, codeOf(err))
}

// isBroken reports whether a row already exists, or whether the row that it refers to is missing:
// somebody else may have made or deleted it at the same moment.
func isBroken(err error) bool {
	return slices.Contains([]string{codeUnique, codeForeignKey}, codeOf(err))
}

// isDown reports whether an error comes of a database that cannot be reached.
func isDown(err error) bool {
	if code := codeOf(err); code != "" {
		return slices.ContainsFunc(downCodes, func(down string) bool { return strings.HasPrefix(code, down) })
	}
	var network net.Error
	var connect *pgconn.ConnectError
	for _, lost := range []error{driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, context.DeadlineExceeded} {
		if errors.Is(err, lost) {
			return true
		}
	}
	return errors.As(err, &connect) || errors.As(err, &network) || pgconn.SafeToRetry(err)
}

// explain wraps errors that stop all reads or writes in their reason; it returns other errors
// unchanged.
func explain(err error) error {
	switch code := codeOf(err); {
	case err == nil:
		return nil
	case code == codeDiskFull:
		return fmt.Errorf("%w: %w", ErrFull, err)
	case code == codeForbidden:
		return fmt.Errorf("%w: %w", ErrForbidden, err)
	case code == codeCrowded:
		return fmt.Errorf("%w: %w", ErrCrowded, err)
	case code == codeStarting:
		return fmt.Errorf("%w: %w", ErrStarting, err)
	case code == codeLockTaken:
		return fmt.Errorf("%w: %w", ErrLocked, err)
	case code == codeReadOnly:
		return fmt.Errorf("%w: %w", ErrStandby, err)
	case code == codeNoDatabase, strings.HasPrefix(code, classSignIn):
		return fmt.Errorf("%w: %w", ErrRefused, err)
	case isContended(err):
		return fmt.Errorf("%w: %w", ErrContended, err)
	case isDown(err):
		return fmt.Errorf("%w: %w", ErrDown, err)
	}
	return err
}
