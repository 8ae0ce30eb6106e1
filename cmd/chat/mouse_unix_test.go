//go:build !windows

package chat_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// mouseModes returns the final modes of the mouse in a program's output, "" for a mode that it never set.
func mouseModes(written string) map[string]string {
	modes := map[string]string{}
	for _, m := range regexp.MustCompile("\x1b\\[\\?(100[0-6]|1015)([hl])").FindAllStringSubmatch(written, -1) {
		modes[m[1]] = m[2]
	}
	return modes
}

func checkMouse(t *testing.T, written string, held bool) {
	t.Helper()
	want := "l"
	if held {
		want = "h"
	}
	modes := mouseModes(written)
	if held && (modes["1002"] != want || modes["1006"] != want) {
		t.Errorf("the chat does not have the mouse: %v", modes)
	}
	for mode, left := range modes {
		assert.True(t, held || left == want, "mode %s is left as %q", mode, left)
	}
}

func startChat(t *testing.T, config string, args ...string) (*exec.Cmd, *os.File, *written) {
	t.Helper()
	home := t.TempDir()
	assert.NoError(t, os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config), 0o600))
	p := exec.Command(os.Args[0], append([]string{"chat", "--local", "--player-name", "Mara", "--player-gender", "female", "Biscuit"}, args...)...)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "TMUX=", "HOME="+home, "PARLEY_CONFIG_DIR="+home, "PARLEY_STATE_DIR="+home)
	terminal := assert.Value(pty.StartWithSize(p, &pty.Winsize{Rows: 30, Cols: 110}))(t)
	t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = terminal.Close()
	})
	w := readAll(terminal)
	w.await(t, 0, placeholder)
	return p, terminal, w
}

// TestMouseIsGivenBack: the chat has the mouse while it runs, and never when it has ended, however that comes.
func TestMouseIsGivenBack(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(p *exec.Cmd, terminal *os.File){
		"leave":     func(_ *exec.Cmd, terminal *os.File) { _, _ = io.WriteString(terminal, "\x04") },
		"interrupt": func(_ *exec.Cmd, terminal *os.File) { _, _ = io.WriteString(terminal, "\x03\x03") },
		"quit":      func(_ *exec.Cmd, terminal *os.File) { _, _ = io.WriteString(terminal, "/quit\r") },
		"terminate": func(p *exec.Cmd, _ *os.File) { _ = p.Process.Signal(syscall.SIGTERM) },
		"hang up":   func(p *exec.Cmd, _ *os.File) { _ = p.Process.Signal(syscall.SIGHUP) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, terminal, w := startChat(t, "")
			w.await(t, 0, "\x1b[?1006h")
			checkMouse(t, string(w.between(0, w.size())), true)
			end(p, terminal)
			_ = p.Wait()
			w.await(t, 0, "\x1b[?1049l")
			time.Sleep(100 * time.Millisecond) // What was written is read to its end.
			checkMouse(t, string(w.between(0, w.size())), false)
		})
	}
}

// TestMouseIsLeftAlone: with --no-mouse or the setting only the key takes the mouse, and releases it.
func TestMouseIsLeftAlone(t *testing.T) {
	t.Parallel()
	for config, args := range map[string][]string{"": {"--no-mouse"}, "chat:\n  mouse: off\n": nil} {
		p, terminal, w := startChat(t, config, args...)
		checkMouse(t, string(w.between(0, w.size())), false)
		from := w.size()
		_, _ = io.WriteString(terminal, "\x1b[19~") // F8
		from = w.await(t, from, "\x1b[?1006h")
		checkMouse(t, string(w.between(0, w.size())), true)
		_, _ = io.WriteString(terminal, "\x1b[19~")
		w.await(t, from, "\x1b[?1002l")
		checkMouse(t, string(w.between(0, w.size())), false)
		leave(t, p, terminal)
	}
}

// TestMouseAndTheShell: Ctrl+Z releases the mouse, and fg takes it again; so does the editor.
func TestMouseAndTheShell(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	editor := filepath.Join(home, "editor")
	assert.NoError(t, os.WriteFile(editor, []byte("#!/bin/sh\necho the editor is here\nsleep 0.3\necho my words > \"$1\"\n"), 0o700))
	shell := exec.Command("sh", "-i")
	shell.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "TMUX=", "HOME="+home, "PS1=ready> ",
		"ENV=", "CHAT="+os.Args[0], "VISUAL=", "EDITOR="+editor)
	terminal := assert.Value(pty.StartWithSize(shell, &pty.Winsize{Rows: 30, Cols: 110}))(t)
	t.Cleanup(func() {
		_ = shell.Process.Kill()
		_ = terminal.Close()
	})
	w := readAll(terminal)
	shown := 0
	press := func(keys, shows string) string { // without keys it waits for what may be there already
		t.Helper()
		if keys != "" {
			shown = w.size()
		}
		_, _ = io.WriteString(terminal, keys)
		shown = w.await(t, shown, shows)
		return string(w.between(0, w.size()))
	}
	press("", "ready>")
	press("\"$CHAT\" chat --local --player-name Mara --player-gender female Biscuit; echo left $?\r", placeholder)
	checkMouse(t, press("h", "h"), true)
	checkMouse(t, press("\x1a", "left 14"), false)
	press("fg; echo back $?\r", "\x1b[?1006h")
	checkMouse(t, press("i", "i"), true)
	checkMouse(t, press("\x0f", "the editor is here"), false)
	checkMouse(t, press("", "\x1b[?1006h"), true)
	checkMouse(t, press("\x04", "back 0"), false)
	press("exit\r", "")
}
