package diff_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/diff"
	"github.com/parley-npc/parley/personas/examples"
)

func BenchmarkSample(b *testing.B) {
	src, err := examples.Read("hotel")
	assert.NoError(b, err)
	x := parsePersona(b, string(src))
	y := parsePersona(b, strings.ReplaceAll(string(src), "the ", "a "))
	for b.Loop() {
		diff.Compare(x, y)
	}
}

// BenchmarkAllRenamed compares a machine of 500 states with one that has other keys and some other
// words in every state.
func BenchmarkAllRenamed(b *testing.B) {
	x, y := chainPersona("old", "kind"), chainPersona("new", "grim")
	for b.Loop() {
		n := len(diff.Compare(x, y).Changes)
		assert.Must(b, n == 1000, "%d changes", n)
	}
}

func chainPersona(prefix, word string) *personas.Persona {
	m := personas.Machine{Key: "m"}
	for i := range 500 {
		m.States = append(m.States, personas.State{
			Key: fmt.Sprint(prefix, i), IsInitial: i == 0, IsTerminal: i == 499,
			PromptInstruction: fmt.Sprintf("You are the %s guard of door number %d, and nobody passes without saying the word w%d to you.", word, i, i*i),
		})
		if i > 0 {
			m.Transitions = append(m.Transitions, personas.Transition{From: fmt.Sprint(prefix, i-1), To: fmt.Sprint(prefix, i), Decision: personas.DecidePass})
		}
	}
	return &personas.Persona{Name: "p", Machines: []personas.Machine{m}}
}

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

// TestParallelTransitionsAreCheap: many transitions between the same states have a cost linear in
// their number. Comparing 9,000 of them once took eight gigabytes.
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

func BenchmarkParallelTransitions(b *testing.B) {
	for _, n := range []int{300, 3000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				diff.Compare(parallelPersona(n, true), changeRows(parallelPersona(n, true)))
			}
		})
	}
}
