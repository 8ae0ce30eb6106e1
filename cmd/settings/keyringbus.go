package settings

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// ErrNoKeyring means that this system has no keyring to ask.
var ErrNoKeyring = errors.New("no session bus runs")

// hasBus reports whether a Secret Service can be reached at all, in the way in which
// the library below looks for one. Asked without a bus, it would start one with
// dbus-launch, and leave it behind.
func hasBus(lookup func(string) (string, bool)) bool {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return true
	}
	if address, _ := lookup("DBUS_SESSION_BUS_ADDRESS"); address != "" && address != "autolaunch:" {
		return true
	}
	folder := filepath.Join("/run/user", strconv.Itoa(os.Getuid()))
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			return true
		}
	}
	return false
}
