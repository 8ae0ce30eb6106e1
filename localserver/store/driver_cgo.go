//go:build cgo

package store

import (
	"errors"
	"slices"
	"syscall"

	"github.com/mattn/go-sqlite3"
)

const hasSQLite = true

// isTaken reports whether an error says that a row with the same id or secret
// exists.
func isTaken(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) &&
		(e.ExtendedCode == sqlite3.ErrConstraintUnique || e.ExtendedCode == sqlite3.ErrConstraintPrimaryKey)
}

// isFullDisk reports whether an error says that the disk, or the user's part of it, has
// no room.
func isFullDisk(err error) bool {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	}
	return e.Code == sqlite3.ErrFull || e.SystemErrno == syscall.ENOSPC || e.SystemErrno == syscall.EDQUOT
}

// hasNoLog reports whether an error may come of a log or its index that could not be
// opened or made beside the database.
func hasNoLog(err error) bool {
	var e sqlite3.Error
	codes := []sqlite3.ErrNo{sqlite3.ErrCantOpen, sqlite3.ErrIoErr, sqlite3.ErrReadonly, sqlite3.ErrFull}
	return errors.As(err, &e) && slices.Contains(codes, e.Code)
}
