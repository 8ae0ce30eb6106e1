package cli

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// WatchPause is how long the watch waits between two looks at the files.
const WatchPause = 400 * time.Millisecond

// FileState returns a text that changes when a file does.
func FileState(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "unreadable"
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

// EndingSignals returns the signals that end a command in good order. SIGHUP, which comes
// when the terminal is closed, is one of them unless it is ignored, as with nohup.
func EndingSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
