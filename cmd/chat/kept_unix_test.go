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
