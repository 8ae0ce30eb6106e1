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

// TestPortraitOnTerminals: each terminal gets the picture in its own way, no query, and none after the chat.
func TestPortraitOnTerminals(t *testing.T) {
	t.Parallel()
	const kitty, sixel, blocks = "\U0010EEEE\u0305\u030D", "\x1bP0;1;0q\"1;1;144;20", "▀"
	for env, want := range map[string]string{
		"TERM=xterm-kitty COLORTERM=truecolor":                                        kitty,
		"TERM=tmux-256color COLORTERM=truecolor KITTY_WINDOW_ID=1 TMUX=/tmp/none,1,0": blocks,
		"TERM=foot COLORTERM=truecolor":                                               sixel,
		"TERM=xterm":                                                                  "│ B │",
	} {
		t.Run(env, func(t *testing.T) {
			t.Parallel()
			said := playOnTerminal(t, strings.Fields(env), want)
			for _, way := range []string{kitty, sixel, blocks} {
				assert.Equal(t, strings.Contains(said, way), way == want, way)
			}
			_, end, _ := strings.Cut(said, "\x1b_Ga=d,d=I,i=")
			assert.Equal(t, strings.Contains(end, "\x1b[?1049l"), want == kitty, "the picture is not deleted before the end")
			for _, question := range []string{"a=q", "\x1b[c", "\x1b[16t", "\x1b[14t"} {
				assert.NotContains(t, said, question, "the terminal is asked")
			}
		})
	}
}

func playOnTerminal(t *testing.T, env []string, shown string) string {
	t.Helper()
	p := exec.Command(os.Args[0], "chat", "--local", "--player-name", "Mara", "--player-gender", "female", "Biscuit")
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+t.TempDir(), "CI=", "LC_ALL=", "LC_CTYPE=",
		"LANG=C.UTF-8", "COLORTERM=", "TMUX=", "STY=", "TERM_PROGRAM=", "KITTY_WINDOW_ID=", "NO_COLOR=")
	p.Env = append(p.Env, env...)
	keys, err := pty.StartWithSize(p, &pty.Winsize{Rows: 24, Cols: 80, X: 80 * 9, Y: 24 * 20})
	assert.NoError(t, err)
	t.Cleanup(func() { _ = keys.Close() })
	limit := time.AfterFunc(cmdtest.Timeout, func() { _ = p.Process.Kill() })
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
