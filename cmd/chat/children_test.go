//go:build linux

package chat_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

func TestEditorAndClipboardInheritNoKeys(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, script := range map[string]string{
		"editor": "env > '" + folder + "/editor.env'\nprintf 'You are a beautiful cat\\n' > \"$1\"\n",
		"tmux":   "env > '" + folder + "/tmux.env'\ncat > /dev/null\n",
		"xclip":  "env > '" + folder + "/xclip.env'\ncat > /dev/null\n",
	} {
		assert.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("#!/bin/sh\n"+script), 0o700))
	}
	p := exec.Command(os.Args[0], "chat", "--local", "--player-name", "Mara", "--player-gender", "female", "Biscuit")
	p.Env = append(append(os.Environ(), cmdtest.Secrets()...), cmdtest.AsParley+"=1", "TERM=xterm-256color", "TMUX=/tmp/none,1,0", "HOME="+folder, "VISUAL=",
		"EDITOR="+folder+"/editor", "TMPDIR="+folder, "DISPLAY=:9", "WAYLAND_DISPLAY=", "SSH_CONNECTION=", "PATH="+folder+":"+os.Getenv("PATH"))
	at := newTerminalPlayerOf(t, p, 110, 30)
	at.types("", "I am not asleep, Mara", "Say something")
	for _, step := range []struct{ keys, shows string }{
		{"\x0f", "› You are a beautiful cat"},
		{"\r", "You made it"},
		{"\x19", "copied"},
	} {
		at.types(step.keys, step.shows)
	}
	at.types("\x04")
	<-at.ended
	_ = p.Wait()
	for _, name := range []string{"editor.env", "tmux.env", "xclip.env"} {
		out := assert.Value(os.ReadFile(filepath.Join(folder, name)))(t)
		assert.Contains(t, string(out), "PATH=")
		assert.NotContains(t, string(out), cmdtest.Swordfish)
	}
}
