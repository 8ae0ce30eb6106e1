//go:build !windows

package chat_test

import (
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestSuspendAndForeground: Ctrl+Z gives the terminal back, and fg resumes at the present size.
func TestSuspendAndForeground(t *testing.T) {
	t.Parallel()
	shell := exec.Command("sh", "-i")
	shell.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+t.TempDir(), "PS1=ready> ", "ENV=", "CHAT="+os.Args[0])
	terminal := assert.Value(pty.StartWithSize(shell, &pty.Winsize{Rows: 24, Cols: 90}))(t)
	defer func() { _ = terminal.Close() }()
	screen, ended := vt10x.New(vt10x.WithSize(90, 24)), make(chan []byte, 1)
	go cmdtest.FollowScreen(terminal, screen, ended)
	press := func(keys, shows string) {
		t.Helper()
		assert.Value(io.WriteString(terminal, keys))(t)
		cmdtest.WaitForText(t, screen, shows)
	}
	press("", "ready>")
	press("\"$CHAT\" chat --local --player-name Mara --player-gender female Biscuit; echo left $?\r", "I am not asleep, Mara")
	press("half a word", "› half a word")
	// Wait for the shell before giving the terminal back to the chat: keys typed earlier are lost.
	// The shell's exit code is 128 plus the signal's number.
	press("\x1a", "left 14")
	press("echo $((6 * 7)) here\r", "42 here") // The shell echoes and obeys: it has its terminal back.
	screen.Resize(70, 20)
	assert.NoError(t, pty.Setsize(terminal, &pty.Winsize{Rows: 20, Cols: 70}))
	press("fg; echo back $?\r", "› half a word")
	press("!", "› half a word!")
	press("\x04", "back 0")
	press("exit\r", "")
	<-ended
	assert.NoError(t, shell.Wait())
}

// TestNoSuspendWithoutAShell: if a chat is a terminal's only program, Ctrl+Z explains that nobody could resume it.
func TestNoSuspendWithoutAShell(t *testing.T) {
	t.Parallel()
	p := exec.Command(os.Args[0], "chat", "--local", "--player-name", "Mara", "--player-gender", "female", "Biscuit")
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+t.TempDir())
	terminal, err := pty.StartWithAttrs(p, &pty.Winsize{Rows: 24, Cols: 90}, &syscall.SysProcAttr{Setsid: true, Setctty: true})
	assert.NoError(t, err)
	defer func() { _ = terminal.Close() }()
	screen, ended := vt10x.New(vt10x.WithSize(90, 24)), make(chan []byte, 1)
	go cmdtest.FollowScreen(terminal, screen, ended)
	cmdtest.WaitForText(t, screen, "I am not asleep, Mara")
	_, _ = io.WriteString(terminal, "\x1a")
	cmdtest.WaitForText(t, screen, "this chat cannot be suspended")
	_, _ = io.WriteString(terminal, "\x04")
	<-ended
	assert.NoError(t, p.Wait(), "the chat ends")
}
