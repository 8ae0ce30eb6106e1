package lint

import (
	"testing"

	"github.com/parley-npc/parley/personas/assert"
)

// TestLintExplainsUnicodeForm: if a key is in another Unicode form, the suggestion is not simply the same word.
func TestLintExplainsUnicodeForm(t *testing.T) {
	p := smallPersona(t, "machine m entry\nstate a initial\nstate caf\u00e9 terminal\na > cafe\u0301 pass # says so")
	for _, f := range All(p, nil) {
		if f.Check == "unknown-to-state" {
			assert.Contains(t, f.Message, "another Unicode form")
			return
		}
	}
	t.Error("no finding unknown-to-state")
}
