package atomicfile

import (
	"os"
	"syscall"
)

// CountNames returns the number of hard links to an open file.
func CountNames(file *os.File) (uint64, error) {
	var info syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(file.Fd()), &info); err != nil {
		return 0, os.NewSyscallError("GetFileInformationByHandle", err)
	}
	return uint64(info.NumberOfLinks), nil
}
