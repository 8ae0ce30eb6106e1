package offline

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/examples"
)

// eachState calls a function with every state of every sample in which a player speaks.
func eachState(t *testing.T, do func(name string, at *Place)) {
	t.Helper()
	for _, name := range examples.Names() {
		p := readSample(t, name)
		for i := range p.Machines {
			for j := range p.Machines[i].States {
				if s := &p.Machines[i].States[j]; !s.IsTerminal {
					do(name, &Place{Persona: p, Machine: &p.Machines[i], State: s, Outgoing: outgoingOf(&p.Machines[i], s.Key), FollowUpAllowed: true})
				}
			}
		}
	}
}

// TestAttacksMoveNothing: what fifty attacks on models say decides nothing, in no state of no
// sample: neither a pass nor anything else.
func TestAttacksMoveNothing(t *testing.T) {
	text, err := os.ReadFile("../../localserver/llm/testdata/attacks.json")
	if err != nil {
		t.Fatal(err)
	}
	var attacks []struct {
		Name, Message string
		Before        []string
	}
	if err := json.Unmarshal(text, &attacks); err != nil || len(attacks) != 50 {
		t.Fatalf("%d attacks, %v", len(attacks), err)
	}
	r := NewReader()
	count := map[string]int{}
	eachState(t, func(name string, at *Place) {
		for _, a := range attacks {
			if a.Before != nil {
				a.Message = a.Before[0]
			}
			v := r.Decide(*at, a.Message)
			count[v.Decision]++
			if v.Decision != personas.AsideName {
				t.Errorf("%s, %s: %s is %s", name, at.State.Key, a.Name, v.Why)
			}
		}
	})
	t.Log(count)
}
