//go:build !windows

package persona_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/cmd/persona"
	"github.com/parley-npc/parley/cmd/personafiles"
	"github.com/parley-npc/parley/cmd/service"
	"github.com/parley-npc/parley/cmd/settings"
	"github.com/parley-npc/parley/personas/assert"
)

func askOnTerminal(t *testing.T, folder, data, address, question, answer string, args ...string) (shown string, code int) {
	t.Helper()
	p := cmdtest.AuthorCommand(folder, data, address, append([]string{"persona", "save"}, args...)...)
	p.Env = append(p.Env, "CI=")
	shown = cmdtest.RunOnTerminal(t, p, 30, 200, question, answer)
	return shown, p.ProcessState.ExitCode()
}

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
	cmdtest.MustRun(t, cmdtest.AuthorCommand(folder, data, s.Address, "persona", "save", "."))
	for _, c := range []struct {
		answer         string
		code, personas int
		says           string
	}{{"no\n", 1, 1, "nothing was changed"}, {"yes\n", 0, 1, ""}, {"new\n", 0, 2, ""}} {
		assert.NoError(t, os.RemoveAll(filepath.Join(folder, personafiles.LockName)))
		shown, code := askOnTerminal(t, folder, data, s.Address, "new for a new persona: ", c.answer, "echo-000.yaml")
		assert.Equal(t, code, c.code, c.answer)
		assert.Contains(t, shown, c.says, c.answer)
		assert.Contains(t, shown, `although your account has`, c.answer)
		assert.Equal(t, countPersonas(t, folder, data, s.Address), c.personas, "%q: there", c.answer)
	}
}

// TestPruneAsks: --prune lists the personas to delete and accepts only a complete answer.
func TestPruneAsks(t *testing.T) {
	t.Parallel()
	folder, data := crowd(t, 2), t.TempDir()
	s := cmdtest.StartLocalServer(t, data)
	cmdtest.MustRun(t, cmdtest.AuthorCommand(folder, data, s.Address, "persona", "save", "."))
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
	assert.True(t, err != nil, "%v:\n%s", err, out)
	assert.Contains(t, string(out), id+"  Echo 000, of cat.yaml according to a parley.lock that this machine did not write")
}

// TestDeleteManyAsks: many personas are deleted after one question that lists them, and only with "yes".
func TestDeleteManyAsks(t *testing.T) {
	t.Parallel()
	folder, data := crowd(t, 3), t.TempDir()
	s := cmdtest.StartLocalServer(t, data)
	cmdtest.MustRun(t, cmdtest.AuthorCommand(folder, data, s.Address, "persona", "save", "."))
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

const yesToGoOn = "Type yes to continue: "

// clonedRepository saves a persona, and returns its directory, one whose lock aims at it, and its id.
func clonedRepository(t *testing.T, data, address string) (mine, cloned, id string) {
	t.Helper()
	mine, cloned = crowd(t, 1), t.TempDir()
	out := assert.Value(cmdtest.AuthorCommand(mine, data, address, "persona", "save", "echo-000.yaml").Output())(t)
	lock := assert.Value(os.ReadFile(filepath.Join(mine, "parley.lock")))(t)
	writeText(t, filepath.Join(cloned, "parley.lock"), strings.Replace(string(lock), "echo-000.yaml", "cat.yaml", 1))
	writeText(t, filepath.Join(cloned, "cat.yaml"), strings.Replace(cmdtest.EndlessPersona, "Answers for ever.", "Evil.", 1))
	return mine, cloned, strings.TrimSpace(string(out))
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	assert.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// runAsAuthor runs a command on a terminal, where nothing says that it is a pipeline.
func runAsAuthor(t *testing.T, folder, data, address, answer string, args ...string) (shown string, code int) {
	t.Helper()
	p := cmdtest.AuthorCommand(folder, data, address, args...)
	p.Env = append(p.Env, "CI=")
	shown = cmdtest.RunOnTerminal(t, p, 30, 200, yesToGoOn, answer)
	return shown, p.ProcessState.ExitCode()
}

// TestForeignLockAsks: a foreign parley.lock overwrites a persona only after a yes that was asked for once.
func TestForeignLockAsks(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := cmdtest.StartLocalServer(t, data)
	mine, cloned, id := clonedRepository(t, data, s.Address)
	for _, args := range [][]string{{"save", "cat.yaml"}, {"save", "--force", "--publish", "."},
		{"publish", "--force", "cat.yaml"}, {"pull", "--force", "Echo 000"}} {
		shown, code := runAsAuthor(t, cloned, data, s.Address, "no\n", append([]string{"persona"}, args...)...)
		if code != 1 || !strings.Contains(shown, `the persona "Echo 000" (`+id+")") || !strings.Contains(shown,
			"that this machine did not write") || !strings.Contains(shown, "nothing was changed") {
			t.Errorf("%v: exit code %d:\n%s", args, code, shown)
		}
	}
	out := assert.Value(cmdtest.AuthorCommand(cloned, data, s.Address, "persona", "show", id, "--json").Output())(t)
	assert.NotContains(t, string(out), "Evil.")
	assert.Contains(t, string(out), `"is_public": false`)
	text := assert.Value(os.ReadFile(filepath.Join(cloned, "cat.yaml")))(t)
	assert.True(t, strings.Contains(string(text), "Evil."), "the file was overwritten:\n%s", text)
	shown, code := runAsAuthor(t, cloned, data, s.Address, "yes\n", "persona", "save", "cat.yaml")
	assert.Equal(t, code, 0, "yes: exit code %d:\n%s", code, shown)
	assert.Contains(t, shown, yesToGoOn, "yes: exit code %d:\n%s", code, shown)
	assert.Contains(t, shown, id, "yes: exit code %d:\n%s", code, shown)
	writeText(t, filepath.Join(cloned, "cat.yaml"), cmdtest.EndlessPersona)
	shown, code = runAsAuthor(t, cloned, data, s.Address, "no\n", "persona", "save", "cat.yaml")
	assert.Equal(t, code, 0, "it is asked again: exit code %d:\n%s", code, shown)
	assert.NotContains(t, shown, yesToGoOn, "it is asked again: exit code %d:\n%s", code, shown)
	shown, code = runAsAuthor(t, mine, data, s.Address, "no\n", "persona", "save", "--force", "echo-000.yaml")
	assert.Equal(t, code, 0, "of one's own lock it is asked: exit code %d:\n%s", code, shown)
	assert.NotContains(t, shown, yesToGoOn, "of one's own lock it is asked: exit code %d:\n%s", code, shown)
	// A repository at another place, by a link or with the same text, is another one.
	again := t.TempDir()
	for _, name := range []string{"cat.yaml", "parley.lock"} {
		text := assert.Value(os.ReadFile(filepath.Join(cloned, name)))(t)
		writeText(t, filepath.Join(again, name), string(text)+"\n")
	}
	shown, code = runAsAuthor(t, again, data, s.Address, "no\n", "persona", "save", "--force", "cat.yaml")
	assert.Equal(t, code, 1, "a copy of the repository: exit code %d:\n%s", code, shown)
}

// TestWatchedFilesAskNobody: watching changes nothing of foreign personas, and keeps renamed own ones.
func TestWatchedFilesAskNobody(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := cmdtest.StartLocalServer(t, data)
	_, cloned, id := clonedRepository(t, data, s.Address)
	a, _, talk := cmdtest.NewAccess(t, map[string]string{"PARLEY_DATA_DIR": data, "PARLEY_STATE_DIR": data, "PARLEY_SERVER": s.Address})
	remote := assert.Value(a.Connect())(t)
	watch := func(folder string) func() {
		return persona.WatchPersonaFiles(t.Context(), a, service.FileWatch{Service: &service.Service{Client: remote.Client,
			Address: s.Address, Sessions: settings.NewMemorySessions()}, Paths: []string{folder}})
	}
	stop := watch(cloned)
	talk.Await(t, "saving "+filepath.Join(cloned, "cat.yaml")+` overwrites the persona "Echo 000" (`+id+
		"), according to a parley.lock that this machine did not write", 1)
	stop()
	folder := crowd(t, 1)
	stop = watch(folder)
	talk.Await(t, "parley.lock has no entry for "+filepath.Join(folder, "echo-000.yaml")+
		`, although your account has the persona "Echo 000" (`+id+") with the same name", 1)
	stop()
	cmdtest.MustRun(t, cmdtest.AuthorCommand(folder, data, s.Address, "persona", "save", "--new", "."))
	stop = watch(folder)
	talk.Await(t, "unchanged "+folder, 1)
	assert.NoError(t, os.Rename(filepath.Join(folder, "echo-000.yaml"), filepath.Join(folder, "new.yaml")))
	talk.Await(t, "unchanged "+filepath.Join(folder, "new.yaml"), 1)
	stop()
	assert.Equal(t, cmdtest.CountLocked(t, folder), 1, "the old name stays in parley.lock")
}
