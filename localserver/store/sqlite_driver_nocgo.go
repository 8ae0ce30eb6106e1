//go:build !cgo

package store

import "context"

// Without cgo, the SQLite driver compiles but cannot open databases. Open checks hasSQLite to
// return a clear error.
const hasSQLite = false

func emptyDatabase(context.Context) ([]byte, error) { return nil, errNoSQLite }

// isTaken reports whether an error means that a row with the same unique value exists.
func isTaken(error) bool { return false }

// isFullDisk reports whether an error means that the disk is full.
func isFullDisk(error) bool { return false }

// isDamage reports whether an error means that a file is damaged or not a database.
func isDamage(error) bool { return false }

// hasNoLog reports whether an error may mean that the log could not be opened.
func hasNoLog(error) bool { return false }
