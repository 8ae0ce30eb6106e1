//go:build !windows

package chat_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestPlayerNameWithoutTerminal: without a terminal a nameless player is Traveller, or the last name.
func TestPlayerNameWithoutTerminal(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	run := func(args ...string) string {
		t.Helper()
		p := exec.Command(os.Args[0], args...)
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+home, "PARLEY_STATE_DIR="+filepath.Join(home, "state"), "PARLEY_PLAYER_NAME=")
		p.Stdin = strings.NewReader("Hello\n")
		out, err := p.CombinedOutput()
		assert.NoError(t, err, "%v %s", args, out)
		return string(out)
	}
	assert.Contains(t, run("chat", "--local", "Biscuit"), "I am not asleep, Traveller.", "a piped player is called")
	server := exec.Command(os.Args[0], "localserver", "--listen", "127.0.0.1:0", "--data", filepath.Join(home, "data"))
	server.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+home)
	s := assert.Value(cmdtest.StartServer(server))(t)
	defer s.Kill()
	token := strings.TrimSpace(run("localserver", "token", "--data", filepath.Join(home, "data"), "--user", "a@example.com"))
	sample := filepath.Join(cmdtest.RepositoryRoot(t), "personas", "examples", "starter.yaml")
	for _, args := range [][]string{{"persona", "save", "--publish", "--no-lock", sample}, {"say", "Biscuit", "Hello", "--player-name", "Mara"}} {
		p := exec.Command(os.Args[0], args...)
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+home,
			"PARLEY_STATE_DIR="+filepath.Join(home, "state"), "PARLEY_SERVER="+s.Address, "PARLEY_TOKEN="+token)
		out, err := p.CombinedOutput()
		assert.NoError(t, err, "%v: %v\n%s", args, err, out)
	}
	assert.Contains(t, run("chat", "--server", s.Address, "--new", "Biscuit"), "I am not asleep, Mara.", "Mara is called")
}

// TestPlayerNameIsRememberedAcrossChats: no chat asks again for a given name, and found endings are remembered.
func TestPlayerNameIsRememberedAcrossChats(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	sit := func(args ...string) *terminalPlayer {
		p := exec.Command(os.Args[0], append([]string{"chat", "--local"}, args...)...)
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+home, "PARLEY_PLAYER_NAME=",
			"PARLEY_CONFIG_DIR="+filepath.Join(home, "config"),
			"PARLEY_STATE_DIR="+filepath.Join(home, "state"), "TMPDIR="+home)
		return newTerminalPlayerOf(t, p, 90, 30)
	}
	at := sit("Biscuit")
	at.types("", "Your name is saved; /name changes it.")
	at.types("Kim\r", "I am not asleep, Kim")
	at.types("You are a beautiful cat\r", "A new ending: 1 of 3 found.")
	at.types("\x04")
	at.leaves(0)

	at = sit("--plain", "Odile Marsh")
	at.types("", "as Kim. /help lists the commands.")
	at.types("/name Robin\r", "Characters call you Robin from the next conversation on.")
	at.types("/quit\r")
	endsWell(t, at)
	text := assert.Value(os.ReadFile(filepath.Join(home, "config", "config.yaml")))(t)
	assert.True(t, string(text) == "player_name: Robin\n", "the settings are %q", text)

	at = sit("--new", "Biscuit")
	at.types("", "1 of 3 endings so far.", "I am not asleep, Robin")
	at.types("\x04")
	at.leaves(0)
}

// endsWell waits for the end of line mode, which does not restore a screen.
func endsWell(t *testing.T, at *terminalPlayer) {
	t.Helper()
	<-at.ended
	assert.NoError(t, at.p.Wait())
}
