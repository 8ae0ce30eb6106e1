//go:build !windows

package persona_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/personas/assert"
)

// askOnTerminal runs save on a terminal and types an answer when a question ends so.
func askOnTerminal(t *testing.T, folder, data, address, question, answer string, args ...string) (shown string, code int) {
	t.Helper()
	p := cmdtest.AuthorCommand(folder, data, address, append([]string{"persona", "save"}, args...)...)
	p.Env = append(p.Env, "CI=")
	shown = cmdtest.RunOnTerminal(t, p, 30, 200, question, answer)
	return shown, p.ProcessState.ExitCode()
}

// countPersonas counts the personas of the author.
func countPersonas(t *testing.T, folder, data, address string) int {
	t.Helper()
	out := assert.Value(cmdtest.AuthorCommand(folder, data, address, "persona", "list", "--mine").Output())(t)
	return strings.Count(string(out), "\n")
}

// TestCloneWithoutLockAsks: a persona of the same name is updated, kept or doubled, as the answer says.
func TestCloneWithoutLockAsks(t *testing.T) {
	t.Parallel()
	folder, data := crowd(t, 1), t.TempDir()
	s := cmdtest.StartLocalServer(t, data)
	out, err := cmdtest.AuthorCommand(folder, data, s.Address, "persona", "save", ".").CombinedOutput()
	assert.NoError(t, err, "%v: %s", err, out)
	for _, c := range []struct {
		answer         string
		code, personas int
		says           string
	}{{"no\n", 1, 1, "nothing was changed"}, {"yes\n", 0, 1, ""}, {"new\n", 0, 2, ""}} {
		assert.NoError(t, os.RemoveAll(filepath.Join(folder, personafiles.LockName)))
		shown, code := askOnTerminal(t, folder, data, s.Address, "new for a new persona: ", c.answer, "echo-000.yaml")
		assert.Equal(t, code, c.code, c.answer)
		assert.Contains(t, shown, c.says, c.answer)
		assert.Contains(t, shown, `one of yours, has the same name`, c.answer)
		assert.Equal(t, countPersonas(t, folder, data, s.Address), c.personas, "%q: there", c.answer)
	}
}

// TestPruneAsks: --prune lists the personas to delete and accepts only a complete answer.
func TestPruneAsks(t *testing.T) {
	t.Parallel()
	folder, data := crowd(t, 2), t.TempDir()
	s := cmdtest.StartLocalServer(t, data)
	out, err := cmdtest.AuthorCommand(folder, data, s.Address, "persona", "save", ".").CombinedOutput()
	assert.NoError(t, err, "%v: %s", err, out)
	assert.NoError(t, os.Remove(filepath.Join(folder, "echo-001.yaml")))
	for _, c := range []struct {
		answer         string
		code, personas int
		says           string
	}{{"yes\n", 1, 2, "nothing was changed"}, {"delete 1\n", 0, 1, "unchanged 1, deleted 1"}} {
		shown, code := askOnTerminal(t, folder, data, s.Address, `Type "delete 1" to continue: `, c.answer, "--prune", ".")
		assert.Equal(t, code, c.code, c.answer)
		assert.Contains(t, shown, c.says, c.answer)
		assert.Contains(t, shown, "Echo 001, of echo-001.yaml", c.answer)
		assert.Equal(t, countPersonas(t, folder, data, s.Address), c.personas, "%q: there", c.answer)
	}
}

// TestPruneNamesForeignEntries: an entry that this machine did not write is marked as such.
func TestPruneNamesForeignEntries(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := cmdtest.StartLocalServer(t, data)
	_, cloned, id := clonedRepository(t, data, s.Address)
	assert.NoError(t, os.Remove(filepath.Join(cloned, "cat.yaml")))
	out, err := cmdtest.AuthorCommand(cloned, data, s.Address, "persona", "save", "--prune", ".").CombinedOutput()
	assert.True(t, err != nil && strings.Contains(string(out), id+"  Echo 000, of cat.yaml according to a parley.lock that this machine did not write"),
		"%v:\n%s", err, out)
}

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
