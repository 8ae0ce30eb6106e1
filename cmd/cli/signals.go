package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// EndingSignals returns the signals that end a command in good order. SIGHUP, which comes
// when the terminal is closed, is one of them unless it is ignored, as with nohup.
func EndingSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
