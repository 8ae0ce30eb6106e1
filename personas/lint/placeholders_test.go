package lint_test

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/lint"
	"github.com/parley-npc/parley/personas/personatest"
)

// TestCardMacros: the two name placeholders of cards are corrected, unless they may be variables.
func TestCardMacros(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct{ hint, right string }{
		"You are {{char}}, who knows {{user}}.": {"did you mean {{persona_name}}?", "You are {{persona_name}}, who knows {{player_name}}."},
		"{{Bot}} waves.":                        {"did you mean {{persona_name}}?", "{{persona_name}} waves."},
		"{{USER}} and {{playername}}":           {"did you mean {{player_name}}?", "{{player_name}} and {{player_name}}"},
		"{{char}} has a {{whatever}}.":          {"did you mean {{persona_name}}?", ""},
		"{{character}} has {{cart}}":            {"did you mean {{persona_name}}?", "{{persona_name}} has {{carts}}"},
	} {
		p, _, faults := personas.Parse("a.yaml", []byte(lint.Example))
		p.IdentityPrompt = text
		p.Variables = append(p.Variables, personas.Variable{Key: "carts", Value: "x"})
		var found []personas.Diagnostic
		for _, f := range lint.Refusals(&p, faults) {
			if f.Check == "template-unknown" && f.Path == "persona_identity_prompt" {
				found = append(found, f)
			}
		}
		switch {
		case len(found) == 0 || !strings.HasSuffix(found[0].Message, want.hint):
			t.Errorf("%s: %+v", text, found)
		case want.right == "" && found[0].Fix != nil, want.right != "" && (found[0].Fix == nil || found[0].Fix.Value != want.right):
			t.Errorf("%s: the fix is %+v", text, found[0].Fix)
		}
	}
}

// TestManyWrongPlaceholdersAreCheap: a text with many wrong placeholders is scanned and rewritten once.
func TestManyWrongPlaceholdersAreCheap(t *testing.T) {
	s := personatest.Find("a line of unknown placeholders")
	p, _, faults := personas.Parse(s.File(), []byte(s.Text(1<<20, 1)))
	var found []personas.Diagnostic
	used := assert.Allocated(func() { found = lint.Refusals(&p, faults) }) >> 20
	assert.True(t, used <= 40, "%d findings took %d MiB", len(found), used)
	assert.True(t, len(found) >= 100, "%d findings", len(found))
}

// TestManyNamesOfPlaceholdersAreCheap: the names that placeholders can have are listed once, not for every text.
func TestManyNamesOfPlaceholdersAreCheap(t *testing.T) {
	s := personatest.Find("outputs")
	p, _, faults := personas.Parse(s.File(), []byte(s.Text(1<<20, 1)))
	used := assert.Allocated(func() { lint.Refusals(&p, faults) }) >> 20
	assert.True(t, used <= 100, "%d MiB", used)
}
