package diff_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/diff"
)

// parallelPersona has n passes between the same two states.
func parallelPersona(n int, worded bool) *personas.Persona {
	m := personas.Machine{Key: "m", States: []personas.State{{Key: "a", IsInitial: true}, {Key: "b", IsTerminal: true}}}
	for i := range n {
		t := personas.Transition{From: "a", To: "b", Decision: personas.DecidePass, ScoreDelta: i % 1000}
		if worded {
			t.Condition = fmt.Sprintf("The player says %d", i)
		}
		m.Transitions = append(m.Transitions, t)
	}
	return &personas.Persona{Name: "p", Machines: []personas.Machine{m}}
}

// changeRows gives every transition another effect.
func changeRows(p *personas.Persona) *personas.Persona {
	for i := range p.Machines[0].Transitions {
		p.Machines[0].Transitions[i].ScoreDelta += 1000
	}
	return p
}

// TestParallelTransitionsAreCheap: many transitions between two states have a linear cost.
func TestParallelTransitionsAreCheap(t *testing.T) {
	for _, worded := range []bool{false, true} {
		before, after := parallelPersona(9000, worded), changeRows(parallelPersona(9000, worded))
		var start, end runtime.MemStats
		runtime.ReadMemStats(&start)
		report := diff.Compare(before, after)
		runtime.ReadMemStats(&end)
		bytes := end.TotalAlloc - start.TotalAlloc
		assert.True(t, bytes <= 1<<30, "conditions %t: %d bytes", worded, bytes)
		if worded && len(report.Changes) != 9000 {
			t.Errorf("%d changes of 9000 transitions, although their conditions identify them", len(report.Changes))
		}
	}
}
