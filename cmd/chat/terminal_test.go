//go:build !windows

package chat_test

import (
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
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
		"SIGHUP":        func(_ io.Writer, p *os.Process) { _ = p.Signal(syscall.SIGHUP) },
		"SIGINT":        func(_ io.Writer, p *os.Process) { _ = p.Signal(os.Interrupt) },
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
			assert.NoError(t, err, "%s: the chat does not change the terminal, so nothing is shown (%v)", name, err)
			assert.True(t, !reflect.DeepEqual(before, during), "%s: the chat does not change the terminal, so nothing is shown (%v)", name, err)
			leave(keys, p.Process)
			_ = p.Wait()
			assert.DeepEqual(t, before, assert.Value(term.GetState(tty.Fd()))(t, name), name)
			_, _ = tty.Close(), keys.Close()
		})
	}
}

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
	terminal := assert.Value(pty.StartWithAttrs(p, &pty.Winsize{Rows: 24, Cols: 90}, &syscall.SysProcAttr{Setsid: true, Setctty: true}))(t)
	defer func() { _ = terminal.Close() }()
	screen, ended := vt10x.New(vt10x.WithSize(90, 24)), make(chan []byte, 1)
	go cmdtest.FollowScreen(terminal, screen, ended)
	cmdtest.WaitForText(t, screen, "tries left here") // The screen of the opening ignores Ctrl+Z.
	_, _ = io.WriteString(terminal, "\x1a")
	cmdtest.WaitForText(t, screen, "this chat cannot be suspended")
	_, _ = io.WriteString(terminal, "\x04")
	<-ended
	assert.NoError(t, p.Wait(), "the chat ends")
}

// TestPastesAreNotSent: pasted lines wait for Enter, and too long a paste is dropped with a reason.
func TestPastesAreNotSent(t *testing.T) {
	t.Parallel()
	stage := newServerFixture(t, nil, "--rate-limit", "off")
	at := newTerminalPlayer(t, stage)
	cmdtest.WaitForText(t, at.screen, "Say something")
	many := strings.Repeat("a line that somebody has pasted\r", 10_000)
	leftOut := "characters left out: a message can have at most " + terminal.GroupThousands(wire.MaxMessage)

	at.types("one\rtwo\r\nthree\r", "3 lines pasted: Enter sends them", "› one", "  three")
	stage.keeps(at.user(stage))
	at.types("\r", "An echo of one", "Say something")
	stage.keeps(at.user(stage), "one\ntwo\nthree")
	at.types(many, leftOut)
	at.types("\x15mine", "› mine")
	at.types("\x1b[200~"+many+"\x1b[201~", leftOut, "› mine")
	at.types("\r", "An echo of mine")
	stage.keeps(at.user(stage), "one\ntwo\nthree", "mine")
	at.types(many + "\x04")
	at.leaves(0)
	stage.keeps(at.user(stage), "one\ntwo\nthree", "mine")
}
