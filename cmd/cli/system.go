package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// WatchPause is the pause between two checks of watched files.
const WatchPause = 400 * time.Millisecond

// Poll calls check after each pause, until ctx is cancelled. Commands that watch files use Poll,
// because polling also works on network drives.
func Poll(ctx context.Context, pause time.Duration, check func()) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			check()
		}
	}
}

// FileState returns a text that changes when a file changes.
func FileState(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "unreadable"
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

// EndingSignals returns the signals that end a command in an orderly way. SIGHUP (a closed
// terminal) is left out if it is ignored, as with nohup.
func EndingSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// IsSameFile reports whether two paths lead to the same existing file.
func IsSameFile(a, b string) bool {
	one, errOne := os.Stat(a)
	two, errTwo := os.Stat(b)
	return errOne == nil && errTwo == nil && os.SameFile(one, two)
}
