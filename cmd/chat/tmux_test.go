//go:build !windows

package chat_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

type tmuxServer struct {
	t      *testing.T
	socket string
}

func (s tmuxServer) run(args ...string) (string, error) {
	out, err := exec.Command("tmux", append([]string{"-S", s.socket, "-f", "/dev/null"}, args...)...).CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (s tmuxServer) await(text string, args ...string) {
	s.t.Helper()
	out := ""
	for range 10 {
		var found bool
		if out, found = s.poll(text, args...); found {
			return
		}
	}
	s.t.Fatalf("tmux %s does not come to %q:\n%s", strings.Join(args, " "), text, out)
}

func (s tmuxServer) poll(text string, args ...string) (out string, found bool) {
	for range 20 {
		if out, _ = s.run(args...); strings.Contains(out, text) {
			return out, true
		}
		time.Sleep(50 * time.Millisecond)
	}
	return out, false
}

// press sends a key until the screen shows a text. On a busy machine the text may be gone before it was looked for.
func (s tmuxServer) press(key, shows string) {
	s.t.Helper()
	out := ""
	for range 10 {
		if said, err := s.run("send-keys", key); err != nil {
			s.t.Fatal(said, err)
		}
		var found bool
		if out, found = s.poll(shows, "capture-pane", "-p"); found {
			return
		}
	}
	s.t.Fatalf("%s does not show %q:\n%s", key, shows, out)
}

// TestCopyInTmux: copied text is in tmux's buffer and on the clipboard of the outer terminal, another tmux.
func TestCopyInTmux(t *testing.T) {
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("there is no tmux here")
	}
	t.Parallel()
	for _, setting := range []string{"external", "on", "off"} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			folder, err := os.MkdirTemp("", "tm") // A socket's path is short.
			assert.NoError(t, err)
			outer, inner := tmuxServer{t, folder + "/a"}, tmuxServer{t, folder + "/b"}
			t.Cleanup(func() {
				_, _ = inner.run("kill-server")
				_, _ = outer.run("kill-server")
				_ = os.RemoveAll(folder)
			})
			chat := fmt.Sprintf("env %s=1 HOME=%s '%s' chat --local --player-name Mara --player-gender female Biscuit", cmdtest.AsParley, t.TempDir(), os.Args[0])
			if out, err := outer.run("new-session", "-d", "-x", "120", "-y", "30", "env", "-u", "TMUX",
				"TERM=xterm-256color", "tmux", "-S", inner.socket, "-f", "/dev/null", "new-session", chat); err != nil {
				t.Skipf("tmux does not start here: %v, %s", err, out)
			}
			assert.Value(outer.run("set-option", "-s", "set-clipboard", "on"))(t)
			inner.await("I am not asleep, Mara", "capture-pane", "-p")
			assert.Value(inner.run("set-option", "-s", "set-clipboard", setting))(t)
			inner.press("C-y", "copied to tmux (its prefix and ] paste it) and sent to your terminal: what Biscuit said")
			inner.await("I am not asleep, Mara", "show-buffer")
			outer.await("I am not asleep, Mara", "show-buffer")
		})
	}
}

// TestCopyWhereTmuxCannotBeAsked: the text goes through the terminal, and the chat names the setting.
func TestCopyWhereTmuxCannotBeAsked(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"fails": "#!/bin/sh\nexit 1\n", "hangs": "#!/bin/sh\nexec sleep 60\n", "missing": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			if script != "" {
				assert.NoError(t, os.WriteFile(folder+"/tmux", []byte(script), 0o700))
			}
			p := exec.Command(os.Args[0], "chat", "--local", "--player-name", "Mara", "--player-gender", "female", "Biscuit")
			path := folder
			if name == "hangs" {
				path += ":/bin:/usr/bin" // for sleep
			}
			p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=tmux-256color", "TMUX=/tmp/none,1,0", "HOME="+folder, "PATH="+path, "DISPLAY=", "WAYLAND_DISPLAY=")
			at := newTerminalPlayerOf(t, p, 150, 30)
			at.types("", "I am not asleep, Mara")
			at.types("\x19", "sent to tmux; if you cannot paste it, run tmux set -s set-clipboard on: what Biscuit said")
			at.types("\x04")
			last := <-at.ended
			_ = p.Wait()
			assert.Contains(t, string(last), "\x1b]52;c;", "the terminal was told nothing")
		})
	}
}
