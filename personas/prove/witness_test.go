package prove_test

import (
	"encoding/json"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/personatest"
	"github.com/parley-npc/parley/personas/prove"
)

// TestWitnessesAreBounded: the total length of witnesses in JSON is bounded, and omitted ones have a reason.
func TestWitnessesAreBounded(t *testing.T) {
	s := personatest.Find("ring of states")
	doc, _, faults := personas.Parse(s.File(), []byte(s.Text(1<<20, 1)))
	assert.Empty(t, faults)
	r := assert.Value(prove.Persona(&doc))(t)
	whole := r
	r = whole.ListWitnesses()
	steps, dropped := 0, 0
	for _, state := range r.Machines[0].States {
		if steps += state.Witness.Len(); state.Reachable && state.Witness == nil && state.Reason != "" {
			dropped++
		}
	}
	if text, err := json.Marshal(r); err != nil || len(text) > 32<<20 || steps > prove.MaxAllSteps || dropped == 0 {
		t.Errorf("%d bytes, %d steps, %d dropped, %v", len(text), steps, dropped, err)
	}
	for _, state := range whole.Machines[0].States {
		if state.Reachable && state.Witness == nil {
			t.Fatalf("the report itself has lost the witness of %s", state.Key)
		}
	}
}
