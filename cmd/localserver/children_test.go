//go:build !windows

package localservercmd_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/parley-npc/parley/cmd/cmdtest"
	"github.com/parley-npc/parley/personas/assert"
)

// TestExecInheritsNoKeys: exec's command gets only its own server's secrets, or those that are passed.
func TestExecInheritsNoKeys(t *testing.T) {
	t.Parallel()
	run := func(args ...string) string {
		t.Helper()
		home := t.TempDir()
		p := exec.Command(os.Args[0], append(append([]string{"localserver", "exec"}, args...), "--", "env")...)
		p.Env = append(append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+home, "PARLEY_CONFIG_DIR="+home, "PARLEY_STATE_DIR="+home), cmdtest.Secrets()...)
		p.Stderr = os.Stderr
		out := assert.Value(p.Output())(t)
		return string(out)
	}
	if out := run(); strings.Contains(out, cmdtest.Swordfish) || !strings.Contains(out, "PARLEY_API_KEY=pk_live_") || !strings.Contains(out, "PARLEY_TOKEN=") {
		t.Errorf("the command has\n%s", out)
	}
	if out := run("--pass-env", "OPENAI_API_KEY"); strings.Count(out, cmdtest.Swordfish) != 1 || !strings.Contains(out, "OPENAI_API_KEY="+cmdtest.Swordfish) {
		t.Errorf("with one key passed the command has\n%s", out)
	}
	if out := run("--llm", "callers"); !strings.Contains(out, "GROQ_API_KEY="+cmdtest.Swordfish) || strings.Contains(out, "PARLEY_TOKEN="+cmdtest.Swordfish) {
		t.Errorf("a command that brings models has\n%s", out)
	}
}
