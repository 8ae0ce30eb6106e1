//go:build !windows

package program

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// HasShell reports whether a shell can resume a suspended program. After `tmux new "parley chat"`
// the result is false.
func HasShell() bool {
	leader, err := unix.Getsid(0)
	return err == nil && leader != unix.Getpgrp()
}

// MeasureCell returns the size of a cell in pixels, or 0, 0 if unknown. The size comes from the
// operating system.
func MeasureCell(out *os.File) (width, height int) {
	if out == nil {
		return 0, 0
	}
	size, err := unix.IoctlGetWinsize(int(out.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 {
		return 0, 0
	}
	return int(size.Xpixel / size.Col), int(size.Ypixel / size.Row)
}

// Unix terminals always interpret control sequences.
func enableSequences(uintptr) (disable func(), err error) { return func() {}, nil }

func watchSize(report func()) (end func()) {
	changes, done := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(changes, syscall.SIGWINCH)
	go func() {
		for {
			select {
			case <-done:
				return
			case <-changes:
				report()
			}
		}
	}()
	return sync.OnceFunc(func() {
		signal.Stop(changes)
		close(done)
	})
}

func suspendProcess() {
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	_ = syscall.Kill(0, syscall.SIGTSTP)
	<-goesOn
}
