package persona

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/diff"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/prove"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/tuitest"
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
		assert.True(t, row.Decision != personas.DecideReject || row.To == "", "a reject of %q leads on", row.From)
	}
}

// TestHostileMarkdown: Markdown shows control characters in any text as text.
func TestHostileMarkdown(t *testing.T) {
	for _, h := range tuitest.Hostile {
		before := personas.Persona{Name: "a", Description: "b", Machines: []personas.Machine{{Key: "m", States: []personas.State{{Key: "s"}, {Key: "t" + h.Text}}}}}
		after := personas.Persona{Name: h.Text, Description: "b " + h.Text, Machines: []personas.Machine{{Key: "m" +
			h.Text, Name: h.Text, States: []personas.State{{Key: "s", Label: h.Text}}}}}
		after.Variables = []personas.Variable{{Key: h.Text, Value: h.Text}}
		d := &Difference{Before: h.Text, After: h.Text, Report: diff.Compare(&before, &after)}
		w := &diffWriter{markdown: true}
		w.writeDifference(d)
		text := w.b.String()
		assert.True(t, len(d.Changes) >= 4, "%s: only %d changes", h.Name, len(d.Changes))
		assert.True(t, !strings.ContainsFunc(strings.ReplaceAll(text, "\n", ""), terminal.IsObeyed), "%s: %q", h.Name, text)
	}
}
