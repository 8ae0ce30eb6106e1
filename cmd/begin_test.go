//go:build !windows

package cmd_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
)

// TestFirstSteps: a terminal shows three first steps, each a command that exists, and a pipe all of the help.
func TestFirstSteps(t *testing.T) {
	t.Parallel()
	env := append(os.Environ(), cmdtest.AsParley+"=1", "TERM=xterm-256color", "HOME="+t.TempDir())
	p := exec.Command(os.Args[0])
	p.Env = env
	shown := cmdtest.RunOnTerminal(t, p, 24, 80)
	steps := regexp.MustCompile(`(?m)^  parley (.*?)   +`).FindAllStringSubmatch(shown, -1)
	if code := p.ProcessState.ExitCode(); code != 0 || len(steps) != 3 || strings.Count(shown, "\n") > 8 {
		t.Errorf("exit code %d, %d first steps:\n%s", code, len(steps), shown)
	}
	for _, step := range steps {
		help := exec.Command(os.Args[0], append(strings.Fields(step[1]), "--help")...)
		help.Env = env
		if out, err := help.CombinedOutput(); err != nil || !strings.Contains(string(out), "Usage:\n  parley "+named(step[1])) {
			t.Errorf("parley %s --help: %v\n%s", step[1], err, out)
		}
	}
	piped := exec.Command(os.Args[0])
	piped.Env = env
	if out, err := piped.Output(); err != nil || !strings.Contains(string(out), "Create:") || !strings.Contains(string(out), "exit-codes") {
		t.Errorf("in a pipe: %v\n%s", err, out)
	}
}

// named is a command line without its flags.
func named(line string) string {
	name, _, _ := strings.Cut(line, " --")
	return name
}
