//go:build !windows

package chat_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestNameIsEnough: on the whole screen, a name from a flag or setting prevents all questions; line mode never asks.
func TestNameIsEnough(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ flags, setting string }{
		"flag":         {"--player-name Mara", ""},
		"setting":      {"", "PARLEY_PLAYER_NAME=Mara"},
		"flag, plain":  {"--player-name Mara --plain", ""},
		"flag, gender": {"--player-name Mara --player-gender male", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := exec.Command(os.Args[0], strings.Fields("chat --local Biscuit "+c.flags)...)
			home := t.TempDir()
			p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+home, "PARLEY_STATE_DIR="+filepath.Join(home, "state"), c.setting)
			terminal := assert.Value(pty.StartWithSize(p, &pty.Winsize{Rows: 24, Cols: 90}))(t)
			screen, ended := vt10x.New(vt10x.WithSize(90, 24)), make(chan []byte, 1)
			go cmdtest.FollowScreen(terminal, screen, ended)
			cmdtest.WaitForText(t, screen, "I am not asleep, Mara")
			_ = p.Process.Kill()
			_ = p.Wait()
			_ = terminal.Close()
		})
	}
}

// TestNobodyIsCalledAfterTheAccount: without a terminal a nameless player is Traveller, or the last name.
func TestNobodyIsCalledAfterTheAccount(t *testing.T) {
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
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+home, "PARLEY_STATE_DIR="+filepath.Join(home, "state"), "PARLEY_SERVER="+s.Address, "PARLEY_TOKEN="+token)
		out, err := p.CombinedOutput()
		assert.NoError(t, err, "%v: %v\n%s", args, err, out)
	}
	assert.Contains(t, run("chat", "--server", s.Address, "--new", "Biscuit"), "I am not asleep, Mara.", "Mara is called")
}
