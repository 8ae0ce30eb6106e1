//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package chat

import "syscall"

// sessionLeader returns the id of the process that leads the session of this process.
func sessionLeader() (pid int, ok bool) {
	id, err := syscall.Getsid(0)
	return id, err == nil
}

func processGroup() int { return syscall.Getpgrp() }
