package engine

import (
	"slices"
	"testing"

	"github.com/parley-npc/parley/personas"
)

// FindOutcomes and LowestWin find the possible ends of a part; an endless search stops.
func TestOutcomesAhead(t *testing.T) {
	m := compileMachine(t, newMachine(personas.Scoring, newTransition("a", pass, "b", 2, 0), newTransition("a", kick, "", 0, 1),
		newTransition("b", pass, "end", 1, 0), newTransition("b", reject, "end", 0, 1)))
	steps := 1000
	got := m.FindOutcomes(m.Start(), &steps)
	slices.Sort(got)
	if want := []personas.Outcome{personas.Accept, personas.KickOut, personas.Reject}; !slices.Equal(got, want) || steps <= 0 || steps == 1000 {
		t.Errorf("%v with %d steps left", got, steps)
	}
	for state, want := range map[string]int{"a": 0, "b": 2} {
		if lowest, wins := m.LowestWin(state, &steps); !wins || lowest != want {
			t.Errorf("%s: %d, %v", state, lowest, wins)
		}
	}
	dead := compileMachine(t, newMachine(personas.Scoring, newTransition("a", reject, "end", -1, 0)))
	if lowest, wins := dead.LowestWin("a", &steps); wins {
		t.Errorf("a lost state is won with %d", lowest)
	}
	endless := compileMachine(t, newMachine(personas.Scoring, newTransition("a", pass, "a", 1, 0)))
	for steps = 500; steps > 0; {
		endless.FindOutcomes(endless.Start(), &steps)
		endless.LowestWin("a", &steps)
	}
}
