//go:build !windows

package chat_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestPortraitOnTerminals: a terminal with 256 colours gets the picture, another the initial, and none gets a query.
func TestPortraitOnTerminals(t *testing.T) {
	t.Parallel()
	for env, want := range map[string]string{"TERM=xterm-256color": "▀▀", "TERM=xterm": "│ B │"} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			said := playOnTerminal(t, env, want)
			for _, question := range []string{"\x1b_G", "\x1b[c", "\x1b[16t", "\x1b[14t"} {
				assert.NotContains(t, said, question, "the terminal is asked")
			}
		})
	}
}

// playOnTerminal chats with Biscuit on a terminal until a text is shown, leaves, and returns all output.
func playOnTerminal(t *testing.T, env, shown string) string {
	t.Helper()
	p := exec.Command(os.Args[0], "chat", "--local", "--player-name", "Mara", "--player-gender", "female", "Biscuit")
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+t.TempDir(), "CI=", "LC_ALL=", "LC_CTYPE=", "LANG=C.UTF-8", "COLORTERM=", "TMUX=", "STY=", "NO_COLOR=", env)
	keys, err := pty.StartWithSize(p, &pty.Winsize{Rows: 24, Cols: 80})
	assert.NoError(t, err)
	t.Cleanup(func() { _ = keys.Close() })
	limit := time.AfterFunc(cmdtest.Patience, func() { _ = p.Process.Kill() })
	defer limit.Stop()
	var said bytes.Buffer
	chunk, left := make([]byte, 4096), false
	for err == nil {
		var n int
		n, err = keys.Read(chunk)
		said.Write(chunk[:n])
		if !left && strings.Contains(said.String(), shown) {
			left = true
			time.AfterFunc(time.Second, func() { _, _ = io.WriteString(keys, "\x04") })
		}
	}
	err = p.Wait()
	assert.Must(t, err == nil && left, "%v: %.2000q", err, said.String())
	return said.String()
}
