package check_test

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestMutantsHaveABudget: long plays use up the budget, and the mutants left out are reported.
func TestMutantsHaveABudget(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var rows strings.Builder
	for range 20 {
		rows.WriteString("      - {from_state_key: a, to_state_key: a, decision_type: pass}\n")
	}
	persona := "name: p\ndescription: d\npersona_identity_prompt: i\nmachines:\n  - machine_key: m\n    scoring_mode: pass_fail\n" +
		"    states: [{state_key: a, is_initial_state: true}, {state_key: z, is_terminal_state: true}]\n    transitions:\n" +
		rows.String() + "      - {from_state_key: a, to_state_key: z, decision_type: pass, priority: 1}\n"
	play := "persona: p.yaml\nsteps:\n" + strings.Repeat("  - say: \"x [[pass]]\"\n", 900)
	put(t, folder, "p.yaml", persona)
	put(t, folder, "p.play.yaml", play)
	out, err := newParley(folder, "test", "--mutate", "p.play.yaml").CombinedOutput()
	for _, want := range []string{"\n8 mistakes made, 0 noticed\n", "13 mistakes left out: they are too much work for one run; give fewer or shorter play files"} {
		assert.NoError(t, err, "run does not say %s", out)
		assert.Contains(t, "\n"+string(out), want, "run does not say %s", out)
	}
}
