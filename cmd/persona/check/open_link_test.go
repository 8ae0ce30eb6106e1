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

// openTarget is a persona with links into a machine that is open from the start.
const openTarget = `name: Gatekeeper
description: Keeps a gate.
persona_identity_prompt: You keep a gate.
machines:
  - machine_key: gate
    scoring_mode: pass_fail
    states: [{state_key: shut, is_initial_state: true}, {state_key: wide, is_terminal_state: true}]
    transitions: [{from_state_key: shut, to_state_key: wide, decision_type: pass, condition: The player asks kindly.}]
  - machine_key: yard
    is_entry_machine: true
    scoring_mode: pass_fail
    states: [{state_key: still, is_initial_state: true}, {state_key: loud, is_terminal_state: true}]
    transitions: [{from_state_key: still, to_state_key: loud, decision_type: pass, condition: The player sings.}]
  - machine_key: tower
    scoring_mode: pass_fail
    states: [{state_key: low, is_initial_state: true}, {state_key: high, is_terminal_state: true}]
    transitions: [{from_state_key: low, to_state_key: high, decision_type: pass, condition: The player climbs.}]
machine_links:
  - {source_machine_key: gate, target_machine_key: yard, condition_type: always, is_auto_advance: true}
  - {source_machine_key: gate, target_machine_key: tower, condition_type: always, is_auto_advance: true}
`

// TestGraphLeadsOnlyToClosedMachines: proof and picture lead no player into a machine that was open before.
func TestGraphLeadsOnlyToClosedMachines(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "gate.yaml")
	assert.NoError(t, os.WriteFile(file, []byte(openTarget), 0o600))
	run := func(args ...string) string {
		t.Helper()
		p := exec.Command(os.Args[0], args...)
		p.Env = append(os.Environ(), cmdtest.AsParley+"=1", "HOME="+t.TempDir(), "LANG=C.UTF-8")
		p.Stdin = strings.NewReader("Please [[pass]]\n")
		out, _ := p.CombinedOutput()
		return string(out)
	}
	proof := run("persona", "prove", file)
	for _, want := range []string{
		"0: gate opens yard with any ending, but yard is open from the start, so nobody is led there\tcan be met in 1 turn",
		"1: gate opens tower with any ending, and continues there at once\tcan open in 1 turn",
	} {
		assert.Contains(t, proof, want, "the proof does not say")
	}
	picture := run("persona", "graph", "--format", "mermaid", file)
	assert.Equal(t, strings.Count(picture, "stroke-width:3px,stroke-dasharray:8 5\n"), 1, "the picture %s", picture)
	if shown := run("chat", "--machine", "gate", file); strings.Contains(shown, "[still]") || !strings.Contains(shown, "tower") && !strings.Contains(shown, "[low]") {
		t.Errorf("play goes elsewhere:\n%s", shown)
	}
}
