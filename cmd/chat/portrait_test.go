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
	const kitty, forget, placeholder, sixel, blocks = "\x1b_Ga=T,U=1,f=100,", "\x1b_Ga=d,d=I,i=", "\U0010EEEE\u0305\u030D", "\x1bP0;1;0q\"1;1;144;20", "▀"
	tests := map[string]struct {
		env   []string
		args  []string
		wants []string // in this order
	}{
		"Kitty":            {[]string{"TERM=xterm-kitty", "COLORTERM=truecolor"}, nil, []string{"\x1b[?1049h", kitty, placeholder, forget, "\x1b[?1049l"}},
		"Kitty in tmux":    {[]string{"TERM=tmux-256color", "COLORTERM=truecolor", "KITTY_WINDOW_ID=1", "TMUX=/tmp/none,1,0"}, nil, []string{"\x1b[?1049h", blocks}},
		"Sixel":            {[]string{"TERM=foot", "COLORTERM=truecolor"}, nil, []string{"\x1b[?1049h", strings.Repeat(" ", 16) + "\x1b[16D\x1b7" + sixel}},
		"any other":        {[]string{"TERM=xterm-256color"}, nil, []string{"\x1b[?1049h", blocks}},
		"sixteen colours":  {[]string{"TERM=xterm"}, nil, []string{"\x1b[?1049h", "│ B │"}},
		"no colours":       {[]string{"TERM=xterm-kitty", "NO_COLOR=1"}, nil, []string{"\x1b[?1049h", "│ B │"}},
		"no Unicode":       {[]string{"TERM=xterm-kitty", "COLORTERM=truecolor", "LANG=C", "LC_ALL=C"}, nil, []string{"\x1b[?1049h"}},
		"the lines' Kitty": {[]string{"TERM=xterm-kitty", "COLORTERM=truecolor"}, []string{"--plain"}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shown := "guarding page 212"
			if len(tt.wants) > 1 {
				shown = tt.wants[1] // The picture, or what stands in its place.
			}
			said := playOnTerminal(t, tt.env, tt.args, shown)
			rest := said
			for _, want := range tt.wants {
				_, after, found := strings.Cut(rest, want)
				assert.Must(t, found, "%q does not come, or not in its place: %.3000q", want, said)
				rest = after
			}
			for _, way := range []string{kitty, forget, "\U0010EEEE", "\x1bP", blocks} {
				wanted := strings.Contains(strings.Join(tt.wants, ""), way)
				assert.Equal(t, strings.Contains(said, way), wanted, way)
			}
			for _, question := range []string{"a=q", "\x1b[c", "\x1b[16t", "\x1b[14t"} {
				assert.NotContains(t, said, question, "the terminal is asked")
			}
		})
	}
}

// playOnTerminal chats with Biscuit on a terminal until a text is shown, leaves, and returns all output.
func playOnTerminal(t *testing.T, env, args []string, shown string) string {
	t.Helper()
	p := exec.Command(os.Args[0], append([]string{"chat", "--local", "--player-name", "Mara", "--player-gender", "female", "Biscuit"}, args...)...)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+t.TempDir(), "CI=", "LC_ALL=", "LC_CTYPE=", "LANG=C.UTF-8", "COLORTERM=", "TMUX=", "STY=", "ZELLIJ=", "TERM_PROGRAM=", "KITTY_WINDOW_ID=", "NO_COLOR=")
	p.Env = append(p.Env, env...)
	keys, err := pty.StartWithSize(p, &pty.Winsize{Rows: 24, Cols: 80, X: 80 * 9, Y: 24 * 20})
	assert.NoError(t, err)
	t.Cleanup(func() { _ = keys.Close() })
	limit := time.AfterFunc(cmdtest.Patience, func() { _ = p.Process.Kill() })
	defer limit.Stop()
	var said bytes.Buffer
	chunk, left := make([]byte, 4096), false
	for {
		n, err := keys.Read(chunk)
		said.Write(chunk[:n])
		// The picture is drawn beside the conversation, and the card names the speaker before it
		// does.
		if !left && strings.Contains(said.String(), "guarding page 212") && strings.Contains(said.String(), shown) {
			left = true
			time.AfterFunc(time.Second, func() { _, _ = io.WriteString(keys, "\x04") })
		}
		if err != nil {
			break
		}
	}
	err = p.Wait()
	assert.Must(t, err == nil && left, "%v: %.2000q", err, said.String())
	return said.String()
}
