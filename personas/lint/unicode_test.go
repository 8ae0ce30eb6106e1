package lint

import (
	"strings"
	"testing"
)

// A key in another Unicode form is not advised as the same word again.
func TestLintExplainsUnicodeForm(t *testing.T) {
	p := smallPersona(t, "machine m entry\nstate a initial\nstate caf\u00e9 terminal\na > cafe\u0301 pass # says so")
	for _, f := range All(p, nil) {
		if f.Check == "unknown-to-state" {
			if !strings.Contains(f.Message, "another Unicode form") {
				t.Errorf("message %q", f.Message)
			}
			return
		}
	}
	t.Error("no finding unknown-to-state")
}
