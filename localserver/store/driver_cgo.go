//go:build cgo

package store

import (
	"errors"

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
