//go:build !windows

package atomicfile

import (
	"os"
	"syscall"
)

// CountNames returns the number of hard links to an open file.
func CountNames(file *os.File) (uint64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1, nil
	}
	return uint64(stat.Nlink), nil //nolint:unconvert // Nlink has 16 bits on macOS.
}
