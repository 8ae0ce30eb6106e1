package intent

import (
	"testing"

	"github.com/parley-npc/parley/personas"
)

// TestEcho: who asks back what a word means that was said to him, has not said it: "what
// papers?" are no papers. Where asking passes, it passes.
func TestEcho(t *testing.T) {
	r := NewReader()
	for _, c := range []struct {
		sample, message string
		echo            bool
	}{
		{"sample-gate", "what papers?", true},
		{"sample-gate", "wait, which papers do you mean?", true},
		{"sample-gate", "what kind of present?", true},
		{"sample-gate", "what reason", true},
		{"sample-starter", "what book?", true},
		{"sample-gate", "what happened?", false},
		{"sample-gate", "what lovely papers these are", false},
		{"sample-gate", "Here are my papers", false},
		{"sample-gate", "what zebra?", false},
		{"sample-gate", "what toll?", false}, // asking what it costs passes there
	} {
		p := corpusPersona(t, c.sample)
		v := r.Decide(placeOf(t, p, p.Machines[0].Key, p.Machines[0].States[0].Key), c.message)
		answered := c.echo && v.Answer != nil && len(v.Answer.Ask) > 0 // by words of the author's
		if c.echo && v.Decision != personas.AsideName && !answered {
			t.Errorf("%s, %q: %s %s (%s)", c.sample, c.message, v.Decision, v.Intent, v.Why)
		}
	}
}
