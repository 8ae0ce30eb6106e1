//go:build !windows

package chat_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	at.types("", "hello there", "Going on where you were.", "Kept in ~/data/chats/samples", "half a thought")
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
