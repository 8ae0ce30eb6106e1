package program

import (
	"os"

	"golang.org/x/sys/windows"
)

// MeasureCell returns 0, 0. A Windows console does not report the size of a cell.
func MeasureCell(*os.File) (width, height int) { return 0, 0 }

// HasShell returns false. Windows shells lack job control.
func HasShell() bool { return false }

func enableSequences(fd uintptr) (disable func(), err error) {
	console, before := windows.Handle(fd), uint32(0)
	if err := windows.GetConsoleMode(console, &before); err != nil {
		return nil, err
	}
	disable = func() { _ = windows.SetConsoleMode(console, before) }
	return disable, windows.SetConsoleMode(console, before|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
}

// A console reports its size as an input event.
func watchSize(func()) (end func()) { return func() {} }

func suspendProcess() {}
