package scripted

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/intent"
)

// TestVerdictTravels: what a message was understood as comes with its evaluation, and
// the reply goes by that and does not decide again.
func TestVerdictTravels(t *testing.T) {
	o, input := New(), bareInput("")
	for _, message := range []string{"Hello!", "I know the password, it is herring", "My cat has grey paws", "Où est la gare, s'il vous plaît ?"} {
		if e := evaluateMessage(t, o, input, message); e.Understood == nil || e.Understood.Why != e.Why {
			t.Errorf("%q: %+v", message, e)
		}
	}
	if e := evaluateMessage(t, o, input, "Hello! [[pass]]"); e.Understood != nil {
		t.Errorf("with a director's mark: %+v", e)
	}
	input.Message = "Hello!"
	g := replyTo(t, o, input, llm.StepResult{Aside: true, Understood: &intent.Verdict{Decision: personas.AsideName, Intent: personas.IntentThanks}})
	if !strings.Contains(g.Why, "plain line for thanks") {
		t.Errorf("the verdict is not what is answered: %+v", g)
	}
}
