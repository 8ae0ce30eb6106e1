//go:build !windows

package cmd_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestWithoutHome: without HOME only commands that need one fail, and say which variables to set.
func TestWithoutHome(t *testing.T) {
	t.Parallel()
	s := cmdtest.StartLocalServer(t, t.TempDir())
	folder, _ := cmdtest.WritePersonaFile(t)
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--version"}, 0, "parley"},
		{[]string{"help", "exit-codes"}, 0, "rate-limited"},
		{[]string{"persona", "schema"}, 0, "$schema"},
		{[]string{"persona", "lint", "echo.yaml"}, 0, "1 info"},
		{[]string{"persona", "prove", "echo.yaml"}, 0, ""},
		{[]string{"persona", "list", "--server", s.Address}, 0, ""},
		{[]string{"persona", "save", ".", "--server", s.Address}, 4, "PARLEY_TOKEN"},
		{[]string{"localserver", "exec", "--seed", ".", "--", "true"}, 0, ""},
		{[]string{"localserver", "token", "--user", "a@example.com"}, 2, "set HOME, or PARLEY_CONFIG_DIR, PARLEY_DATA_DIR"},
		{[]string{"localserver", "--listen", "127.0.0.1:0"}, 2, "set HOME"},
		{[]string{"localserver", "snapshot", "x.parley"}, 2, "set HOME"},
		{[]string{"localserver", "restore", "x.parley"}, 2, "set HOME"},
		{[]string{"localserver", "snapshot", "x.parley", "--data", "data"}, 3, "no local server has used it yet"},
	} {
		out, err := cmdtest.BareCommand(folder, nil, c.args...).CombinedOutput()
		if code := cmdtest.ExitCode(t, err); code != c.code || !strings.Contains(string(out), c.says) {
			t.Errorf("parley %s: exit code %d, want %d\n%s", strings.Join(c.args, " "), code, c.code, out)
		}
	}
}

// TestReadOnlyHome: with a read-only home everything works or reports what it cannot store.
func TestReadOnlyHome(t *testing.T) {
	t.Parallel()
	base := assert.Value(os.MkdirTemp("", "parley-readonly-*"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	home, project, data := filepath.Join(base, "home"), filepath.Join(base, "project"), t.TempDir()
	for folder, mode := range map[string]os.FileMode{base: 0o755, home: 0o555, project: 0o777} {
		assert.NoError(t, os.MkdirAll(folder, 0o755))
		assert.NoError(t, os.Chmod(folder, mode))
	}
	assert.NoError(t, os.WriteFile(filepath.Join(project, "echo.yaml"), []byte(cmdtest.EndlessPersona), 0o644))
	s := cmdtest.StartLocalServer(t, data)
	token := cmdtest.MustOutput(t, "localserver", "token", "--data", data, "--user", "author@example.com")
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"persona", "save", "--publish", "."}, 0, "saved 1"},
		{[]string{"persona", "save", "."}, 0, "unchanged 1"},
		{[]string{"say", "Echo", "hello"}, 0, ""},
		{[]string{"localserver", "--listen", "127.0.0.1:0"}, 3, "permission denied"},
	} {
		p := cmdtest.BareCommand(project, []string{"HOME=" + home, "PARLEY_TOKEN=" + token, "PARLEY_SERVER=" + s.Address}, c.args...)
		cmdtest.RunAsNobody(t, p)
		out, err := p.CombinedOutput()
		if code := cmdtest.ExitCode(t, err); code != c.code || !strings.Contains(string(out), c.says) {
			t.Errorf("parley %s: exit code %d, want %d\n%s", strings.Join(c.args, " "), code, c.code, out)
		}
	}
	assert.Equal(t, cmdtest.CountLocked(t, project), 1, "nothing is in parley.lock")
}

// TestBrokenPipe: a closed pipe is no error; the exit code is that of the signal, or 0 if all was written.
func TestBrokenPipe(t *testing.T) {
	t.Parallel()
	s := cmdtest.StartLocalServer(t, t.TempDir())
	folder, _ := cmdtest.WritePersonaFile(t)
	for _, args := range [][]string{
		{"persona", "schema"}, {"help", "environment"}, {"persona", "list", "--json", "--server", s.Address}, {"persona", "lint", "--format", "json", "."},
		{"persona", "graph", "echo.yaml"}, {"persona", "prove", "echo.yaml"}, {"version"},
	} {
		p := exec.Command(os.Args[0], args...)
		p.Dir = folder
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+folder)
		read, write, err := os.Pipe()
		assert.NoError(t, err)
		_ = read.Close()
		var talk bytes.Buffer
		p.Stdout, p.Stderr = write, &talk
		err = p.Run()
		_ = write.Close()
		piped := err != nil && p.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGPIPE
		if err != nil && !piped || talk.Len() > 0 && !strings.Contains(talk.String(), "nothing found") {
			t.Errorf("parley %s: %v\n%s", strings.Join(args, " "), err, &talk)
		}
	}
}
