//go:build !windows

package program

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// HasShell reports whether a shell can resume this program after it was suspended. There is no
// shell after `tmux new "parley chat"`.
func HasShell() bool {
	leader, err := unix.Getsid(0)
	return err == nil && leader != unix.Getpgrp()
}

// enableSequences is empty, because Unix terminals always interpret control sequences.
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

// suspendProcess suspends the process group, as Ctrl+Z does, and returns when the shell resumes it.
func suspendProcess() {
	goesOn := make(chan os.Signal, 1)
	signal.Notify(goesOn, syscall.SIGCONT)
	defer signal.Stop(goesOn)
	_ = syscall.Kill(0, syscall.SIGTSTP)
	<-goesOn
}
