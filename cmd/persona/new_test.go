package persona

import (
	"bytes"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/prove"
)

// TestTemplate: the template is short, fits any name, reaches every ending, and its rejects differ from passes.
func TestTemplate(t *testing.T) {
	lines := bytes.Count(firstPersona, []byte("\n"))
	assert.True(t, lines < 60, "the template has %d lines", lines)
	source := assert.Value(personas.SetScalar(firstPersona, "name", "Old Marta"))(t)
	assert.True(t, !bytes.Contains(source, []byte("Wren")), "the template names its character in more than one place")
	p, places, faults := personas.Parse("new.yaml", source)
	assert.Empty(t, lint.File(&p, places, faults), "lint finds")
	report := assert.Value(prove.Persona(&p))(t)
	for _, outcome := range report.Machines[0].Outcomes {
		assert.True(t, outcome.Reachable, "the ending %s cannot be reached", outcome.Outcome)
	}
	for _, row := range p.Machines[0].Transitions {
		if row.Decision == personas.DecideReject && row.To != "" {
			t.Errorf("a reject of %q leads on", row.From)
		}
	}
}
