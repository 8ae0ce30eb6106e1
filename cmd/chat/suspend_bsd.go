//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package chat

import "syscall"

func sessionLeader() (pid int, ok bool) {
	id, err := syscall.Getsid(0)
	return id, err == nil
}

func processGroup() int { return syscall.Getpgrp() }
