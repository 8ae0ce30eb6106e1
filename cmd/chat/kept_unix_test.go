//go:build !windows

package chat_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/examples"
)

// TestKeptChatComesBackOnTheScreen: a kept chat goes on with its messages and draft; /new begins again.
func TestKeptChatComesBackOnTheScreen(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	sit := func() *terminalPlayer {
		p := exec.Command(os.Args[0], "chat", "--local", "--player-name", "Mara", "--player-gender", "female", "Biscuit")
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+home, "PARLEY_CONFIG_DIR="+home,
			"PARLEY_STATE_DIR="+home, "PARLEY_DATA_DIR="+filepath.Join(home, "data"), "TMPDIR="+home)
		return newTerminalPlayerOf(t, p, 90, 30)
	}
	at := sit()
	at.types("", "Kept in ~/data/chats/samples; /new begins again.", "I am not asleep, Mara")
	at.types("hello there\r", "You are in my light")
	at.types("half a thought", "half a thought")
	at.types("\x04")
	at.leaves(0)

	at = sit()
	at.types("", "hello there", "Continuing where you left off.", "Kept in ~/data/chats/samples", "half a thought")
	at.types("\x15/new\r")
	for limit := time.Now().Add(cmdtest.Patience); strings.Contains(at.screen.String(), "hello there"); time.Sleep(10 * time.Millisecond) {
		assert.Must(t, !time.Now().After(limit), "the new session has the words of the old one:\n%s", at.screen)
	}
	at.types("", "I am not asleep, Mara")
	at.types("\x04")
	at.leaves(0)
}

// TestWatchOnTheScreen edits a file while it is played on a real pseudo-terminal.
func TestWatchOnTheScreen(t *testing.T) {
	t.Parallel()
	source := assert.Value(examples.Read("starter"))(t)
	file := filepath.Join(t.TempDir(), "cat.yaml")
	save := func(replaced ...string) {
		t.Helper()
		assert.NoError(t, os.WriteFile(file, []byte(strings.NewReplacer(replaced...).Replace(string(source))), 0o600))
	}
	save()
	p := exec.Command(os.Args[0], "chat", file, "--watch", "--player-name", "Mara", "--player-gender", "female")
	home := t.TempDir()
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+home, "PARLEY_DATA_DIR="+home, "PARLEY_CONFIG_DIR="+home, "PARLEY_STATE_DIR="+home)
	at := newTerminalPlayerOf(t, p, 80, 24)
	at.types("", "I am not asleep, Mara")
	at.types("I need that book\r", "4 tries left here")
	save("The book is warm.", "The book is hot.")
	at.types("", "The file changed: your turn has the same effect", "The book is hot.")
	save("The book is warm.", "The book is hot.", "machines:", "machines: {")
	at.types("", "The file cannot be played", "cat.yaml:5:3: not valid YAML")
	save(`redirect: ["I need that book", `, "redirect: [", `pass: ["What`, `pass: ["I need that book", "What`)
	at.types("", `turn 1 "I need that book": redirect became pass`, "F9 continues")
	at.types("\x1b[20~", "› I need that book")
	at.types("\r", "You made it")
	at.types("\x04")
	at.leaves(0)
}

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

// TestTheNameIsAskedOnceEver: no chat asks again for a given name, and found endings are remembered.
func TestTheNameIsAskedOnceEver(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	sit := func(args ...string) *terminalPlayer {
		p := exec.Command(os.Args[0], append([]string{"chat", "--local"}, args...)...)
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+home, "PARLEY_PLAYER_NAME=", "PARLEY_CONFIG_DIR="+filepath.Join(home, "config"),
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

func TestLinesAskForTheNameAtATerminal(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	env := append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+home, "PARLEY_PLAYER_NAME=", "PARLEY_CONFIG_DIR="+filepath.Join(home, "config"),
		"PARLEY_STATE_DIR="+filepath.Join(home, "state"), "TMPDIR="+home)
	piped := exec.Command(os.Args[0], "chat", "--local", "--plain", "Biscuit")
	piped.Env, piped.Stdin = env, strings.NewReader("You are a beautiful cat\n")
	if out, err := piped.CombinedOutput(); err != nil || strings.Contains(string(out), "call you") || !strings.Contains(string(out), "[ended: accepted]") {
		t.Errorf("a pipe: %v\n%s", err, out)
	}
	for _, made := range []string{"config", filepath.Join("state", "endings.json")} {
		_, err := os.Stat(filepath.Join(home, made))
		assert.True(t, err != nil, "a pipe has made %s", made)
	}
	for _, step := range []struct{ typed, shows string }{{"Kim\r", "How shall Biscuit call you?"}, {"", "as Kim. /help"}} {
		p := exec.Command(os.Args[0], "chat", "--local", "--plain", "Biscuit")
		p.Env = env
		at := newTerminalPlayerOf(t, p, 90, 30)
		at.types("", step.shows)
		if step.typed != "" {
			at.types(step.typed, "Your name is saved; /name changes it.", "I am not asleep, Kim.")
		}
		at.types("/quit\r")
		endsWell(t, at)
	}
}

// endsWell waits for the end of line mode, which does not restore a screen.
func endsWell(t *testing.T, at *terminalPlayer) {
	t.Helper()
	<-at.ended
	assert.NoError(t, at.p.Wait())
}
