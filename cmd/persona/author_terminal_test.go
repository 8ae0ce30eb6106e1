//go:build !windows

package persona_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestDeleteManyAsks: many personas are deleted after one question that lists them, and only with "yes".
func TestDeleteManyAsks(t *testing.T) {
	t.Parallel()
	folder, data := crowd(t, 3), t.TempDir()
	s := cmdtest.StartLocalServer(t, data)
	out, err := cmdtest.AuthorCommand(folder, data, s.Address, "persona", "save", ".").CombinedOutput()
	assert.NoError(t, err, "%v: %s", err, out)
	wrong := cmdtest.AuthorCommand(folder, data, s.Address, "persona", "delete", ".")
	shown := cmdtest.RunOnTerminal(t, wrong, 30, 100, `Type "delete 3" to continue: `, "yes\n")
	assert.Equal(t, wrong.ProcessState.ExitCode(), 1)
	assert.Contains(t, shown, "nothing was changed")
	assert.Equal(t, strings.Count(shown, "Echo 00"), 3)
	right := cmdtest.AuthorCommand(folder, data, s.Address, "persona", "delete", ".")
	shown = cmdtest.RunOnTerminal(t, right, 30, 100, `Type "delete 3" to continue: `, "delete 3\n")
	assert.Equal(t, right.ProcessState.ExitCode(), 0)
	assert.Contains(t, shown, "deleted 3")
	if out, err := cmdtest.AuthorCommand(folder, data, s.Address, "persona", "list", "--mine").Output(); err != nil || len(out) > 0 {
		t.Errorf("%v: left are %s", err, out)
	}
}

// TestBarOnTerminal: a long run shows how far it is, only on a terminal, and takes the bar away at the end.
func TestBarOnTerminal(t *testing.T) {
	t.Parallel()
	folder, data := crowd(t, 200), t.TempDir()
	address, _, _ := hurried(t, filepath.Join(data, "server"))
	p := cmdtest.AuthorCommand(folder, data, address, "persona", "save", ".")
	p.Env = append(p.Env, "TERM=xterm-256color")
	shown := cmdtest.RunOnTerminal(t, p, 30, 100)
	assert.Contains(t, shown, "saving [")
	assert.Contains(t, shown, "rate limit reached, continuing in")
	assert.Contains(t, shown, "/200  ")
	last := shown[strings.LastIndex(shown, "saving ["):]
	_, after, ok := strings.Cut(last, "\r\x1b[K")
	assert.True(t, ok && strings.Contains(after, "saved 200"), "the bar stays: %q", last)
}
