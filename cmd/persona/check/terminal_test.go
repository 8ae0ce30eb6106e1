//go:build !windows

package check_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestGraphOnATerminal: there the picture is text in the terminal's width, and a PNG is refused.
func TestGraphOnATerminal(t *testing.T) {
	t.Parallel()
	for _, table := range []struct {
		format, want string
		fails        bool
	}{{"", "┌────────────────┐", false}, {"png", "cannot be shown on a terminal", true}, {"svg", "<svg ", false}} {
		args := []string{"persona", "graph", "../../../personas/examples/starter.yaml"}
		if table.format != "" {
			args = append(args, "--format", table.format)
		}
		p := exec.Command(os.Args[0], args...)
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+t.TempDir())
		out := cmdtest.RunOnTerminal(t, p, 24, 32)
		code := p.ProcessState.ExitCode()
		assert.True(t, (code != 0) == table.fails && strings.Contains(out, table.want), "--format %q (%d):\n%s", table.format, code, out)
		for line := range strings.Lines(out) {
			if width := len([]rune(strings.TrimRight(line, "\n"))); table.format == "" && width > 32 {
				t.Errorf("a line has %d cells: %q", width, line)
			}
		}
	}
}

// TestFmtKeepsRightsAndLinks: a formatted file has the rights that it had, and a link to it stays a link.
func TestFmtKeepsRightsAndLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "link.yaml")
	assert.NoError(t, os.WriteFile(file, []byte("description: d\nname: A\n"), 0o640))
	assert.NoError(t, os.Symlink("a.yaml", link))
	p := exec.Command(os.Args[0], "persona", "fmt", link)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1")
	out, err := p.CombinedOutput()
	assert.NoError(t, err, "%v\n%s", err, out)
	text := assert.Value(os.ReadFile(file))(t)
	assert.Equal(t, string(text), "name: A\ndescription: d\n")
	info := assert.Value(os.Stat(file))(t)
	assert.Equal(t, info.Mode().Perm(), 0o640)
	assert.Equal(t, assert.Value(os.Readlink(link))(t), "a.yaml", "the link")
}
