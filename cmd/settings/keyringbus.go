package settings

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

// ErrNoKeyring means that a keyring is not available on this system.
var ErrNoKeyring = errors.New("no session bus is running")

// hasBus reports whether a Secret Service may be reachable, by looking for a session bus where the
// keyring library looks. Otherwise the library would start a bus and leave it running.
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
