//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package terminal

import "os"

// MeasureCell returns 0, 0, because this system does not report the size of a cell.
func MeasureCell(*os.File) (width, height int) { return 0, 0 }

// HasShell returns false, because this system lacks job control.
func HasShell() bool { return false }
