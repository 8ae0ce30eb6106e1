package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// EndingSignals are the signals that end a command in good order: a terminal that is
// closed counts, unless who started the command has said that it does not (nohup).
func EndingSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}
