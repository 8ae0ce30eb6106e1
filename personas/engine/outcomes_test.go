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
		assert.Equal(t, assert.Value(m.Step(m.Start(), Fire(i)))(t).Ending, want, "transition %d", i)
	}
	steps := 1000
	want := []Ending{{personas.Accept, "in end"}, {personas.Accept, "bribed"}, {personas.Reject, "in end"}, {personas.KickOut, ""}, {personas.Reject, "given up"}}
	assert.EqualSlices(t, m.FindEndings(&steps), want)
}

// TestCanEndByRefusal: a refusal ends the machine if a reject does, or a pass to a terminal state
// with the outcome REJECT, but not the reject after the last redirect.
func TestCanEndByRefusal(t *testing.T) {
	lost := newMachine(pf, newTransition("a", pass, "end", 0, 0))
	lost.States[2].TerminalOutcome = personas.Reject
	for name, c := range map[string]struct {
		doc   *personas.Machine
		score int
		want  bool
	}{
		"a reject of pass_fail":           {newMachine(pf, newTransition("a", reject, "", 0, 0)), 0, true},
		"a pass that loses":               {lost, 0, true},
		"a reject to a terminal state":    {newMachine(sc, newTransition("a", reject, "end", 0, 0)), 0, true},
		"a reject with enough points":     {newMachine(sc, newTransition("a", reject, "end", 0, 0)), 3, false},
		"a reject that goes on":           {newMachine(sc, newTransition("a", reject, "b", -1, 0)), 0, false},
		"a reject to the bound":           {newMachine(sc, newTransition("a", reject, "b", -1, 0)), -2, true},
		"a pass with too few points":      {newMachine(sc, newTransition("a", pass, "end", 0, 0)), 0, false},
		"the reject after the last retry": {limitRedirects(newMachine(pf, newTransition("a", redirect, "", 0, 0)), 0), 0, false},
		"a kick_out":                      {newMachine(pf, newTransition("a", kick, "", 0, 0)), 0, false},
	} {
		if got := compileMachine(t, c.doc).CanEndByRefusal(Session{State: "a", Score: c.score}); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
