//go:build !windows

package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

func onScreen(t *testing.T, rows, columns uint16, env []string, args ...string) (text string, code int) {
	t.Helper()
	p := exec.Command(os.Args[0], args...)
	p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+t.TempDir(), "PAGER=", "LESS=")
	p.Env = append(p.Env, env...)
	text = cmdtest.RunOnTerminal(t, p, rows, columns)
	return text, p.ProcessState.ExitCode()
}

// TestPager: a long list goes through the pager, and one that stops early or does not exist is no failure.
func TestPager(t *testing.T) {
	t.Parallel()
	list := []string{"persona", "lint", "--explain"}
	whole, code := onScreen(t, 500, 120, []string{"PARLEY_PAGER=head -n 1"}, list...)
	assert.Must(t, code == 0 && strings.Count(whole, "\n") >= 40,
		"a terminal that is high enough shows (%d)\n%s", code, whole)
	tests := []struct {
		pager string
		lines int
	}{
		{"head -n 1", 1}, {"head -n 3 | tail -n 1", 1}, {"sed -n 1,5p; exit 1", 5},
		{"no-such-pager-anywhere", strings.Count(whole, "\n")}, {"", strings.Count(whole, "\n")}, {"cat", strings.Count(whole, "\n")},
	}
	for _, test := range tests {
		text, code := onScreen(t, 10, 120, []string{"PARLEY_PAGER=" + test.pager}, list...)
		if got := strings.Count(text, "\n"); code != 0 || got < test.lines || got > test.lines+1 {
			t.Errorf("%q: exit code %d, %d lines, want %d\n%.300s", test.pager, code, got, test.lines, text)
		}
	}
	shown, _ := onScreen(t, 10, 120, []string{`PARLEY_PAGER=cat >/dev/null; echo "$LESS"`}, list...)
	assert.Equal(t, strings.TrimSpace(shown), "FRX", "less is given %q", shown)
}

// TestTableFits: on a terminal of 60 columns no line of a list is longer, its head is shown, and
// wide characters count as two columns.
func TestTableFits(t *testing.T) {
	t.Parallel()
	text, code := onScreen(t, 500, 60, nil, "persona", "lint", "--explain")
	assert.Equal(t, code, 0)
	assert.Contains(t, text, "CHECK")
	assert.Contains(t, text, "…")
	for line := range strings.Lines(text) {
		n := len([]rune(strings.TrimSpace(ansi.Strip(line))))
		assert.True(t, n <= 60, "%d columns: %q", n, line)
	}
}

// TestColourIsOff: every way to turn colour off does, on a terminal, and CLICOLOR_FORCE turns it on elsewhere.
func TestColourIsOff(t *testing.T) {
	t.Parallel()
	list := []string{"persona", "lint", "--explain"}
	text, _ := onScreen(t, 500, 120, nil, list...)
	assert.Contains(t, text, "\x1b[", "a terminal has no colour")
	for _, env := range []string{"NO_COLOR=1", "TERM=dumb"} {
		text, _ := onScreen(t, 500, 120, []string{env}, list...)
		assert.NotContains(t, text, "\x1b[", "%s has colour", env)
	}
	text, _ = onScreen(t, 500, 120, nil, append(list, "--no-color")...)
	assert.NotContains(t, text, "\x1b[", "--no-color has colour")
	template := []string{"config", "list", "--template", `{{color "red" "x"}}`}
	for env, coloured := range map[string]bool{"CLICOLOR_FORCE=1": true, "CLICOLOR_FORCE=0": false, "NO_COLOR=1": false} {
		p := exec.Command(os.Args[0], template...)
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm", "NO_COLOR=", "HOME="+t.TempDir(), env)
		if out, err := p.Output(); err != nil || strings.Contains(string(out), "\x1b[") != coloured {
			t.Errorf("%s: %v, %q", env, err, out)
		}
	}
}

func TestPagerInheritsNoKeys(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(t.TempDir(), "seen")
	env := append(cmdtest.Secrets(), "PARLEY_PAGER=env > '"+seen+"'; cat > /dev/null")
	text, code := onScreen(t, 10, 120, env, "persona", "lint", "--explain")
	assert.Must(t, code == 0, "%d\n%s", code, text)
	out := assert.Value(os.ReadFile(seen))(t)
	assert.Contains(t, string(out), "PATH=", "the pager has\n%s", out)
	assert.NotContains(t, string(out), cmdtest.Swordfish, "the pager has\n%s", out)
}
