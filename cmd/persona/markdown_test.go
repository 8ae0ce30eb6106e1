package persona

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/diff"
	"github.com/parley-npc/parley/tui/terminal"
	"github.com/parley-npc/parley/tui/tuitest"
)

// TestHostileMarkdown: Markdown shows control characters in any text as text.
func TestHostileMarkdown(t *testing.T) {
	for _, h := range tuitest.Hostile {
		before := personas.Persona{Name: "a", Description: "b", Machines: []personas.Machine{{Key: "m", States: []personas.State{{Key: "s"}, {Key: "t" + h.Text}}}}}
		after := personas.Persona{Name: h.Text, Description: "b " + h.Text, Machines: []personas.Machine{{Key: "m" + h.Text, Name: h.Text, States: []personas.State{{Key: "s", Label: h.Text}}}}}
		after.Variables = []personas.Variable{{Key: h.Text, Value: h.Text}}
		d := &Difference{Before: h.Text, After: h.Text, Report: diff.Compare(&before, &after)}
		text := markdownDiff(d)
		assert.True(t, len(d.Changes) >= 4, "%s: only %d changes", h.Name, len(d.Changes))
		assert.True(t, !strings.ContainsFunc(strings.ReplaceAll(text, "\n", ""), terminal.IsObeyed), "%s: %q", h.Name, text)
	}
}
