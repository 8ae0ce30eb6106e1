//go:build !windows

package datafolder

import (
	"io/fs"
	"os"
	"syscall"
)

func isOwn(info fs.FileInfo) bool {
	found, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(found.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}
