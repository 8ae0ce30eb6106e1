//go:build !windows

package datafolder

import (
	"io/fs"
	"os"
	"syscall"
)

// isOwn reports whether a file belongs to this user and is not accessible to other users.
func isOwn(info fs.FileInfo) bool {
	found, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(found.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}
