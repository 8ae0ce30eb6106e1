//go:build !cgo

package store

import "context"

// Without cgo the SQLite driver compiles, but cannot open anything: Open says so
// before it is asked to.
const hasSQLite = false

func emptyDatabase(context.Context) ([]byte, error) { return nil, errNoSQLite }

// isTaken reports whether an error says that a row with the same id or secret
// exists.
func isTaken(error) bool { return false }

// isFullDisk reports whether an error means that the disk is full.
func isFullDisk(error) bool { return false }

// isDamage reports whether an error means that a file is damaged or not a database.
func isDamage(error) bool { return false }

// hasNoLog reports whether an error may come of a log that could not be opened.
func hasNoLog(error) bool { return false }
