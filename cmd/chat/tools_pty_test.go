//go:build !windows

package chat_test

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestEditorAndCopy writes in a player's editor on the real terminal, and copies the answer through it.
func TestEditorAndCopy(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	editor := filepath.Join(folder, "editor")
	script := "#!/bin/sh\n[ -t 0 ] && [ -t 1 ] && printf 'You are a beautiful cat\\n' > \"$1\"\n"
	assert.NoError(t, os.WriteFile(editor, []byte(script), 0o700))
	p := exec.Command(os.Args[0], "chat", "--local", "--player-name", "Mara", "--player-gender", "female", "Biscuit")
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "TMUX=", "HOME="+folder, "VISUAL=", "EDITOR='"+editor+"'", "TMPDIR="+folder)
	at := newTerminalPlayerOf(t, p, 110, 30)
	at.types("", "I am not asleep, Mara")
	for _, step := range []struct{ keys, shows string }{
		{"\x0f", "› You are a beautiful cat"},
		{"\r", "You made it"},
		{"\x19", "sent to your terminal's clipboard, paste to check: what Biscuit said"},
	} {
		at.types(step.keys, step.shows)
	}
	shown := at.screen.String()
	at.types("\x04")
	last := <-at.ended
	assert.NoError(t, p.Wait(), "the chat ends")
	_, sequence, _ := bytes.Cut(last, []byte("\x1b]52;c;"))
	sequence, _, _ = bytes.Cut(sequence, []byte("\a"))
	copied, err := base64.StdEncoding.DecodeString(string(sequence))
	assert.True(t, err == nil && len(copied) >= 10 && strings.Contains(shown, string(copied)),
		"the terminal was given %q, %v", copied, err)
	left, _ := filepath.Glob(filepath.Join(folder, "parley-*"))
	assert.Empty(t, left, "left behind")
}
