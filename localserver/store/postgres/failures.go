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

	"github.com/parley-npc/parley/localserver/store/db"
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
	db.ErrEmpty, db.ErrKept, db.ErrInUse, db.ErrRestoring, db.ErrOlder, db.ErrNewer, db.ErrForeign, db.ErrForeignCode, db.ErrForbidden,
	db.ErrRefused, db.ErrCrowded, db.ErrStarting, db.ErrLocked, db.ErrDown, db.ErrFull, db.ErrStandby, db.ErrContended,
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
		return fmt.Errorf("%w: %w", db.ErrFull, err)
	case code == codeForbidden:
		return fmt.Errorf("%w: %w", db.ErrForbidden, err)
	case code == codeCrowded:
		return fmt.Errorf("%w: %w", db.ErrCrowded, err)
	case code == codeStarting:
		return fmt.Errorf("%w: %w", db.ErrStarting, err)
	case code == codeLockTaken:
		return fmt.Errorf("%w: %w", db.ErrLocked, err)
	case code == codeReadOnly:
		return fmt.Errorf("%w: %w", db.ErrStandby, err)
	case code == codeNoDatabase, strings.HasPrefix(code, classSignIn):
		return fmt.Errorf("%w: %w", db.ErrRefused, err)
	case isContended(err):
		return fmt.Errorf("%w: %w", db.ErrContended, err)
	case isDown(err):
		return fmt.Errorf("%w: %w", db.ErrDown, err)
	}
	return err
}
