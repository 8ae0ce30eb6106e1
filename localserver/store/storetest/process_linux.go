package storetest

import "syscall"

// dieWithParent makes a process end with the test's process, however that ends.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT} }
