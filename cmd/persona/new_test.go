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
	source, err := personas.SetScalar(firstPersona, "name", "Old Marta")
	assert.NoError(t, err)
	assert.True(t, !bytes.Contains(source, []byte("Wren")), "the template names its character in more than one place")
	p, places, faults := personas.Parse("new.yaml", source)
	assert.Empty(t, lint.File(&p, places, faults), "lint finds")
	report, err := prove.Persona(&p)
	assert.NoError(t, err)
	for _, outcome := range report.Machines[0].Outcomes {
		assert.True(t, outcome.Reachable, "the ending %s cannot be reached", outcome.Outcome)
	}
	for _, row := range p.Machines[0].Transitions {
		if row.Decision == personas.DecideReject && row.To != "" {
			t.Errorf("a reject of %q leads on", row.From)
		}
	}
}
