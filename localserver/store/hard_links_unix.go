//go:build !windows

package store

import (
	"os"
	"syscall"
)

// countNames returns how many names an open file has.
func countNames(file *os.File) (uint64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	found, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1, nil
	}
	return uint64(found.Nlink), nil //nolint:unconvert // It has 16 bits on macOS.
}
