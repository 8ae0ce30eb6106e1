package chat

import "syscall"

func sessionLeader() (pid int, ok bool) {
	id, _, errno := syscall.RawSyscall(syscall.SYS_GETSID, 0, 0, 0)
	return int(id), errno == 0
}

func processGroup() int { return syscall.Getpgrp() }
