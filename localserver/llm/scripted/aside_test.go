package scripted

import (
	"strings"
	"testing"

	"github.com/parley-npc/parley/localserver/llm"
	"github.com/parley-npc/parley/personas"
)

// The director's mark makes an aside, which is answered with the author's lines for
// words not understood, else plainly in the character's name.
func TestDirectedAside(t *testing.T) {
	o, input := New(), gateInput()
	input.Message = "Nice weather [[ Aside ]]"
	e, err := o.Evaluate(t.Context(), input)
	if err != nil || !e.Aside || e.FollowUp || len(e.Holds) > 0 || e.Why != "director: aside" {
		t.Fatalf("%+v, %v", e, err)
	}
	say := func() llm.GeneratedText {
		t.Helper()
		g, err := o.Reply(t.Context(), input, llm.StepResult{Aside: true}, func(string) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	if g := say(); !strings.HasPrefix(g.Text, "(Hobb ") || !strings.Contains(g.Why, "not understood") {
		t.Errorf("plain: %+v", g)
	}
	input.State.Offline.Lines.Unknown = []string{"What, {{player_name}}?"}
	if g := say(); g.Text != "What, "+input.Player.Name+"?" || g.Why != "offline: state here, unknown, line 1 of 1" {
		t.Errorf("the author's: %+v", g)
	}
	if lines := (&personas.Lines{Unknown: []string{"u"}}).Of(personas.AsideName); len(lines) != 1 {
		t.Errorf("lines of an aside: %v", lines)
	}
}
