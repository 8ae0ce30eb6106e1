package storetest

import "syscall"

// dieWithParent returns attributes that end a process when the process of the test ends for any
// reason.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT} }
