//go:build !cgo

package store

// Without cgo the SQLite driver compiles, but cannot open anything: Open says so
// before it is asked to.
const hasSQLite = false

func isTaken(error) bool { return false }
