package lint

import (
	"testing"

	"github.com/parley-npc/parley/internal/assert"
)

// A key in another Unicode form is not advised as the same word again.
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
