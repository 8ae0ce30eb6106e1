//go:build !cgo

package store

import "context"

// hasSQLite is false, because the SQLite driver compiles without cgo but cannot open databases.
// Open checks hasSQLite to return a clear error.
const hasSQLite = false

func emptyDatabase(context.Context) ([]byte, error) { return nil, errNoSQLite }

func isTaken(error) bool { return false }

func isFullDisk(error) bool { return false }

func isDamage(error) bool { return false }

func hasNoLog(error) bool { return false }
