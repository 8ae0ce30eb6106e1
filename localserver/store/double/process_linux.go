package double

import "syscall"

// dieWithParent lets a process end when the test's process ends, however that ends.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGQUIT} }
