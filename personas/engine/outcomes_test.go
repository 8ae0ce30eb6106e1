package engine

import (
	"slices"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// TestOutcomesAhead: FindOutcomes and LowestWin find the possible ends of a machine, and an endless search stops.
func TestOutcomesAhead(t *testing.T) {
	m := compileMachine(t, newMachine(personas.Scoring, newTransition("a", pass, "b", 2, 0), newTransition("a", kick, "", 0, 1),
		newTransition("b", pass, "end", 1, 0), newTransition("b", reject, "end", 0, 1)))
	steps := 1000
	got := m.FindOutcomes(m.Start(), &steps)
	slices.Sort(got)
	want := []personas.Outcome{personas.Accept, personas.KickOut, personas.Reject}
	assert.True(t, slices.Equal(got, want) && steps > 0 && steps != 1000, "%v with %d steps left", got, steps)
	for state, want := range map[string]int{"a": 0, "b": 2} {
		lowest, wins := m.LowestWin(state, &steps)
		assert.True(t, wins && lowest == want, "%s: %d, %v", state, lowest, wins)
	}
	dead := compileMachine(t, newMachine(personas.Scoring, newTransition("a", reject, "end", -1, 0)))
	lowest, wins := dead.LowestWin("a", &steps)
	assert.True(t, !wins, "a lost state is won with %d", lowest)
	endless := compileMachine(t, newMachine(personas.Scoring, newTransition("a", pass, "a", 1, 0)))
	for steps = 500; steps > 0; {
		endless.FindOutcomes(endless.Start(), &steps)
		endless.LowestWin("a", &steps)
	}
}

// TestNamedEndings: an ending has the name of its transition, else of its state, and FindEndings finds all.
func TestNamedEndings(t *testing.T) {
	doc := newMachine(personas.Scoring, newTransition("a", pass, "end", 3, 0), newTransition("a", pass, "end", 3, 1), newTransition("a", pass, "end", 0, 2),
		newTransition("a", kick, "", 0, 3), newTransition("a", pass, "b", 0, 4), newTransition("b", reject, "b", -3, 0))
	doc.Transitions[1].EndingName = "bribed"
	doc.Transitions[5].EndingName = "given up"
	for i := range doc.States {
		doc.States[i].EndingName = "in " + doc.States[i].Key
	}
	m := compileMachine(t, doc)
	for i, want := range []string{"in end", "bribed", "in end", "", ""} {
		if r, err := m.Step(m.Start(), Fire(i)); err != nil || r.Ending != want {
			t.Errorf("transition %d ends with %q, want %q (%v)", i, r.Ending, want, err)
		}
	}
	steps := 1000
	want := []Ending{{personas.Accept, "in end"}, {personas.Accept, "bribed"}, {personas.Reject, "in end"}, {personas.KickOut, ""}, {personas.Reject, "given up"}}
	assert.EqualSlices(t, m.FindEndings(&steps), want)
}
