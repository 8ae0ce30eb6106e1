//go:build !windows

package cmd

import "syscall"

func freeSpace(folder string) (uint64, error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return 0, err
	}
	return uint64(disk.Bavail) * uint64(disk.Bsize), nil //nolint:gosec,unconvert // of another type and sign on other systems; never negative
}
