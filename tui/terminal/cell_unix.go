//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// MeasureCell returns the size of a terminal's cell in pixels, or 0, 0 if it is unknown. It asks
// the operating system, not the terminal.
func MeasureCell(out *os.File) (width, height int) {
	if out == nil {
		return 0, 0
	}
	raw, err := out.SyscallConn()
	if err != nil {
		return 0, 0
	}
	_ = raw.Control(func(fd uintptr) { // The size of a closed file is 0, 0.
		size, err := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
		if err == nil && size.Col > 0 && size.Row > 0 {
			width, height = int(size.Xpixel/size.Col), int(size.Ypixel/size.Row)
		}
	})
	return width, height
}

// HasShell reports whether a shell can resume this program after it was suspended. There is no
// shell after `tmux new "parley chat"`.
func HasShell() bool {
	leader, err := unix.Getsid(0)
	return err == nil && leader != unix.Getpgrp()
}
