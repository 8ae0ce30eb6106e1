package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/zalando/go-keyring"
)

// ErrNoKeyring says that this system has no keyring to ask.
var ErrNoKeyring = errors.New("there is no keyring: no session bus runs")

// ProbeKeyring asks the system's keyring for something that is not there. nil is
// a keyring that answers; one that does not is the context's error.
func ProbeKeyring(ctx context.Context, lookup func(string) (string, bool)) error {
	if !hasBus(lookup) {
		return ErrNoKeyring
	}
	answer := make(chan error, 1)
	go func() {
		_, err := keyring.Get("parley", "doctor")
		answer <- err
	}()
	select {
	case err := <-answer:
		if err == nil || errors.Is(err, keyring.ErrNotFound) {
			return nil
		}
		return fmt.Errorf("the keyring does not work: %w", err)
	case <-ctx.Done():
		return fmt.Errorf("the keyring does not answer: %w", ctx.Err())
	}
}

// hasBus tells whether a Secret Service can be reached at all. Asking without a
// bus would start one.
func hasBus(lookup func(string) (string, bool)) bool {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return true
	}
	if address, _ := lookup("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return true
	}
	folder, _ := lookup("XDG_RUNTIME_DIR")
	if folder == "" {
		return false
	}
	_, err := os.Stat(filepath.Join(folder, "bus"))
	return err == nil
}
