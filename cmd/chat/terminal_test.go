//go:build !windows

package chat_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"reflect"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestTerminalStateIsRestored: echo, line editing and signals are as before, however a chat is left.
func TestTerminalStateIsRestored(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(keys io.Writer, p *os.Process){
		"Ctrl-D":        func(keys io.Writer, _ *os.Process) { _, _ = io.WriteString(keys, "\x04") },
		"Ctrl-C twice":  func(keys io.Writer, _ *os.Process) { _, _ = io.WriteString(keys, "\x03\x03") },
		"/quit":         func(keys io.Writer, _ *os.Process) { _, _ = io.WriteString(keys, "/quit\r") },
		"author's view": func(keys io.Writer, _ *os.Process) { _, _ = io.WriteString(keys, "\x1bOQ\x04") },
		"SIGTERM":       func(_ io.Writer, p *os.Process) { _ = p.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys, tty, err := pty.Open()
			assert.NoError(t, err)
			before := assert.Value(term.GetState(tty.Fd()))(t)
			p := exec.Command(os.Args[0], "chat", "--local", "--player-name", "Mara", "--player-gender", "female", "Biscuit")
			p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+t.TempDir())
			p.Stdin, p.Stdout, p.Stderr = tty, tty, tty
			p.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			assert.NoError(t, pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 90}))
			assert.NoError(t, p.Start())
			screen, ended := vt10x.New(vt10x.WithSize(90, 24)), make(chan []byte, 1)
			go cmdtest.FollowScreen(keys, screen, ended)
			cmdtest.WaitForText(t, screen, "I am not asleep, Mara")
			during, err := term.GetState(tty.Fd())
			if err != nil || reflect.DeepEqual(before, during) {
				t.Errorf("%s: the chat does not change the terminal, so nothing is shown (%v)", name, err)
			}
			leave(keys, p.Process)
			_ = p.Wait()
			after := assert.Value(term.GetState(tty.Fd()))(t, name)
			assert.DeepEqual(t, before, after, name)
			_, _ = tty.Close(), keys.Close()
		})
	}
}

// TestScreen plays a sample to its ending on a real pseudo-terminal, as typed.
func TestScreen(t *testing.T) {
	t.Parallel()
	p := exec.Command(os.Args[0], "chat", "--local", "--player-name", "Mara", "--player-gender", "female", "Biscuit")
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+t.TempDir())
	at := newTerminalPlayerOf(t, p, 110, 30)
	at.types("", "I am not asleep, Mara")
	for _, step := range []struct{ keys, shows string }{
		{"I need that book\r", "4 tries left"},
		{"You are a beautiful cat\r", "You made it"},
	} {
		at.types(step.keys, step.shows)
	}
	at.types("\x04")
	last := <-at.ended
	assert.NoError(t, p.Wait(), "the chat ends")
	if !bytes.Contains(last, []byte("\x1b[?1049l")) || !bytes.Contains(last, []byte("\x1b[?25h")) {
		t.Errorf("the terminal is not given back as it was: %q", last[max(len(last)-200, 0):])
	}
}
