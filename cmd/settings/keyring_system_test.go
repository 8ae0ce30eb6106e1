//go:build linux

package settings_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/assert"
)

// insideSession is set in the process that runs with a private bus.
const insideSession = "PARLEY_TEST_SESSION"

// TestSecretService stores secrets in a real gnome-keyring on a private bus, unlocked with an empty password.
func TestSecretService(t *testing.T) {
	if os.Getenv(insideSession) != "" {
		useSecretService(t)
		return
	}
	const script = `printf '\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null && exec "$0" -test.run '^TestSecretService$' -test.v`
	assert.Contains(t, assert.Value(inSession(t, script))(t), "--- PASS: TestSecretService")
}

// inSession runs a shell script on a private bus with a temporary home; $0 is this test's program.
func inSession(t *testing.T, script string) (string, error) {
	t.Helper()
	for _, tool := range []string{"dbus-run-session", "dbus-send", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is missing (apt-get install dbus gnome-keyring): the real keyring is not tested", tool)
		}
	}
	p := exec.Command("dbus-run-session", "--", "sh", "-c", script, os.Args[0])
	home := t.TempDir()
	p.Env = append(os.Environ(), insideSession+"=1", "HOME="+home, "XDG_DATA_HOME="+home, "XDG_RUNTIME_DIR="+home, "XDG_CONFIG_HOME="+home, "DISPLAY=")
	out, err := p.CombinedOutput()
	return string(out), err
}

func useSecretService(t *testing.T) {
	s := settings.OpenSecrets(t.TempDir(), settings.SystemKeyring(os.LookupEnv))
	assert.NoError(t, s.Probe())
	for _, length := range []int{1, 2001, 20_000} {
		secret := strings.Repeat("sécret\n", length/8+1)
		assert.NoError(t, s.Keep(address, secret, inRing()))
		assert.Equal(t, assert.Value(s.Read(address))(t), secret, "%d bytes", len(secret))
	}
	assert.NoError(t, s.Forget(address))
	_, err := settings.SystemKeyring(os.LookupEnv).Get(address)
	assert.ErrorIs(t, err, settings.ErrNoSecret, "forgotten")
}

// TestLockedSecretService: a locked or new keyring fails within the time limit with a clear error.
func TestLockedSecretService(t *testing.T) {
	if os.Getenv(insideSession) != "" {
		err := settings.OpenSecrets(t.TempDir(), settings.SystemKeyring(os.LookupEnv)).Probe()
		_, ok := errors.AsType[*settings.KeyringError](err)
		assert.True(t, ok, "probed: %v", err)
		return
	}
	const inside = `exec "$0" -test.run '^TestLockedSecretService$' -test.v`
	const lock = `dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets ` +
		`org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login >/dev/null`
	for name, script := range map[string]string{
		"fresh":  "gnome-keyring-daemon --start --components=secrets >/dev/null && " + inside,
		"locked": "printf 'a password\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null && " + lock + " && " + inside,
	} {
		t.Run(name, func(t *testing.T) {
			assert.Contains(t, assert.Value(inSession(t, script))(t), "--- PASS: TestLockedSecretService", name)
		})
	}
}

// TestNoSecretService: without an answering bus the failure says so, and no bus is started.
func TestNoSecretService(t *testing.T) {
	if kind := os.Getenv(insideSession); kind != "" {
		err := settings.OpenSecrets(t.TempDir(), settings.SystemKeyring(os.LookupEnv)).Probe()
		failed, ok := errors.AsType[*settings.KeyringError](err)
		assert.Must(t, ok, "%s: %v", kind, err)
		assert.Equal(t, failed.After > 0, kind == "silent", "%s: %v", kind, err)
		assert.Equal(t, errors.Is(err, settings.ErrNoKeyring), kind == "unset" || kind == "launched", "%s: %v", kind, err)
		return
	}
	silent := filepath.Join(t.TempDir(), "bus")
	listener, err := net.Listen("unix", silent)
	assert.NoError(t, err)
	defer listener.Close()
	tools := t.TempDir()
	launched := filepath.Join(tools, "launched")
	assert.NoError(t, os.WriteFile(filepath.Join(tools, "dbus-launch"), []byte("#!/bin/sh\n: >"+launched+"\n"), 0o700))
	buses := map[string]string{"gone": "unix:path=" + silent + ".not", "silent": "unix:path=" + silent}
	if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Getuid()), "bus")); err != nil {
		buses["unset"], buses["launched"] = "", "autolaunch:"
	}
	for kind, bus := range buses {
		t.Run(kind, func(t *testing.T) {
			p := exec.Command(os.Args[0], "-test.run", "^TestNoSecretService$")
			p.Env = append(os.Environ(), insideSession+"="+kind, "DBUS_SESSION_BUS_ADDRESS="+bus, "PATH="+tools)
			out, err := p.CombinedOutput()
			assert.NoError(t, err, "%s: %v\n%s", kind, err, out)
		})
	}
	_, err = os.Stat(launched)
	assert.True(t, err != nil, "a bus was started")
}
