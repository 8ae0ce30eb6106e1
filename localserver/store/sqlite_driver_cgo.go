//go:build cgo

package store

import (
	"context"
	"errors"
	"slices"
	"syscall"

	"github.com/mattn/go-sqlite3"
)

const hasSQLite = true

func emptyDatabase(ctx context.Context) (content []byte, err error) {
	pool, err := openPool(Memory, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := conn.ExecContext(ctx, "PRAGMA user_version = 0"); err != nil { // This creates the first page.
		return nil, err
	}
	err = conn.Raw(func(driver any) error {
		content, err = driver.(*sqlite3.SQLiteConn).Serialize("")
		return err
	})
	return content, err
}

func isTaken(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok &&
		(e.ExtendedCode == sqlite3.ErrConstraintUnique || e.ExtendedCode == sqlite3.ErrConstraintPrimaryKey)
}

func isFullDisk(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	if !ok {
		return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	}
	return e.Code == sqlite3.ErrFull || e.SystemErrno == syscall.ENOSPC || e.SystemErrno == syscall.EDQUOT
}

func isDamage(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	return ok && (e.Code == sqlite3.ErrCorrupt || e.Code == sqlite3.ErrNotADB)
}

func hasNoLog(err error) bool {
	e, ok := errors.AsType[sqlite3.Error](err)
	codes := []sqlite3.ErrNo{sqlite3.ErrCantOpen, sqlite3.ErrIoErr, sqlite3.ErrReadonly, sqlite3.ErrFull}
	return ok && slices.Contains(codes, e.Code)
}
