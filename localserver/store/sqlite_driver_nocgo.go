//go:build !cgo

package store

import "context"

// Without cgo, the SQLite driver compiles but cannot open databases.
const hasSQLite = false

func emptyDatabase(context.Context) ([]byte, error) { return nil, errNoSQLite }

func isTaken(error) bool { return false }

func isFullDisk(error) bool { return false }

func isDamage(error) bool { return false }

func hasNoLog(error) bool { return false }
