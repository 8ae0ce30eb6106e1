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

// See appendix "PostgreSQL Error Codes" of the PostgreSQL manual.
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

// A code with two characters is a whole class.
var downCodes = []string{
	"08", "57P01", "57P02", codeStarting, "57P05", codeCanceled, codeLockTaken, codeCrowded, "53200", "25P03",
}

var reasons = [...]error{
	db.ErrEmpty, db.ErrKept, db.ErrInUse, db.ErrOlder, db.ErrNewer, db.ErrForeign, db.ErrForeignCode, db.ErrForbidden,
	db.ErrRefused, db.ErrCrowded, db.ErrStarting, db.ErrLocked, db.ErrDown, db.ErrFull, db.ErrStandby, db.ErrContended,
}

func findReason(err error) error {
	for _, reason := range reasons {
		if errors.Is(err, reason) {
			return reason
		}
	}
	return nil
}

func codeOf(err error) string {
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
		return refused.Code
	}
	return ""
}

func isContended(err error) bool {
	return slices.Contains([]string{codeSerialization, codeDeadlock}, codeOf(err))
}

// A concurrent transaction may have caused these errors, so a retry may succeed.
func isBroken(err error) bool {
	return slices.Contains([]string{codeUnique, codeForeignKey}, codeOf(err))
}

var lostConnections = []error{
	driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, context.DeadlineExceeded,
}

func isDown(err error) bool {
	if code := codeOf(err); code != "" {
		return slices.ContainsFunc(downCodes, func(down string) bool { return strings.HasPrefix(code, down) })
	}
	for _, target := range lostConnections {
		if errors.Is(err, target) {
			return true
		}
	}
	_, refused := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err)
	return refused || network || pgconn.SafeToRetry(err)
}

var meanings = []struct {
	code string
	err  error
}{
	{codeDiskFull, db.ErrFull}, {codeForbidden, db.ErrForbidden}, {codeCrowded, db.ErrCrowded},
	{codeStarting, db.ErrStarting},
	{codeLockTaken, db.ErrLocked}, {codeReadOnly, db.ErrStandby}, {codeNoDatabase, db.ErrRefused},
	{classSignIn, db.ErrRefused},
	{codeSerialization, db.ErrContended}, {codeDeadlock, db.ErrContended},
}

func explain(err error) error {
	if err == nil {
		return nil
	}
	code := codeOf(err)
	for _, m := range meanings {
		if strings.HasPrefix(code, m.code) {
			return fmt.Errorf("%w: %w", m.err, err)
		}
	}
	if isDown(err) {
		return fmt.Errorf("%w: %w", db.ErrDown, err)
	}
	return err
}
