package prove_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/prove"
)

// paidMachine returns a machine with the given limit of redirects, which add points.
func paidMachine(key string, limit int, deltas ...int) personas.Machine {
	m := personas.Machine{Key: key, EarlyFailBound: new(-1_000_000)}
	m.States = []personas.State{{Key: "0", IsInitial: true, MaxRedirects: &limit}, {Key: "1", IsTerminal: true}}
	m.Transitions = []personas.Transition{newTransition(0, personas.DecidePass, 1, 0)}
	for _, delta := range deltas {
		m.Transitions = append(m.Transitions, newTransition(0, personas.DecideRedirect, -1, delta))
	}
	return m
}

// badCases returns small files that are expensive to prove.
func badCases() map[string]*personas.Persona {
	cases := map[string]*personas.Persona{}
	addMany := func(name string, n int, newMachine func(key string) personas.Machine) {
		p := &personas.Persona{Name: "p"}
		for i := range n {
			p.Machines = append(p.Machines, newMachine(fmt.Sprint("m", i)))
		}
		cases[name] = p
	}
	addMany("one paid limit", 1, func(key string) personas.Machine { return paidMachine(key, 200_000, -1) })
	addMany("paid limits", 1000, func(key string) personas.Machine { return paidMachine(key, 200_000, -1) })
	addMany("paid twice", 1000, func(key string) personas.Machine { return paidMachine(key, 200_000, 1, 3) })
	addMany("parallel and paid", 1, func(key string) personas.Machine {
		m := paidMachine(key, 200_000, 1, 2)
		for i := range 9000 {
			m.Transitions = append(m.Transitions, newTransition(0, personas.DecidePass, 1, i))
		}
		return m
	})
	addMany("many scores", 20, func(key string) personas.Machine {
		m := personas.Machine{Key: key, EarlyFailBound: new(-1_000_000_000)}
		for i := range 61 {
			m.States = append(m.States, personas.State{Key: fmt.Sprint(i), IsInitial: i == 0, IsTerminal: i == 60})
			if i < 60 {
				m.Transitions = append(m.Transitions, newTransition(i, personas.DecidePass, i+1, 0), newTransition(i, personas.DecidePass, i+1, 1+(i*7919*i+104_729*i)%10_000_019))
			}
		}
		return m
	})
	p := &personas.Persona{Name: "p", Machines: []personas.Machine{lineMachine("m", 3000), paidMachine("n", 1, 1)}}
	for i := range 3000 {
		p.Links = append(p.Links, personas.Link{Source: "m", Target: "n", Condition: personas.IfScoreGTE, Score: i})
	}
	cases["many links"] = p
	return cases
}

// TestProofsShareABudget: the proofs of a file share one budget, and the error names the machine and the limit.
func TestProofsShareABudget(t *testing.T) {
	for name, p := range badCases() {
		t.Run(name, func(t *testing.T) {
			var err error
			bytes := assert.Allocated(func() { _, err = prove.Persona(p) })
			assert.True(t, bytes <= 1<<30, "%d bytes", bytes)
			assert.True(t, err == nil || errors.Is(err, prove.ErrTooWide) && strings.Contains(err.Error(), `"m`) && strings.ContainsAny(err.Error(), "0123456789"), "refused with %v", err)
		})
	}
}

// TestHighLimitsAreProved: limits on paid redirects far above those that authors write are proved.
func TestHighLimitsAreProved(t *testing.T) {
	for _, limit := range []int{4, 1000, 100_000} {
		r := assert.Value(prove.Persona(&personas.Persona{Name: "p", Machines: []personas.Machine{paidMachine("m", limit, 1)}}))(t, "max_redirects %d", limit)
		most := r.Machines[0].OutcomeOf(personas.Accept).Max
		assert.True(t, most != nil && int(*most) == limit, "max_redirects %d: the most is %v", limit, most)
	}
}

// TestTheExplorerAgreesOnLongLimits compares proofs of long counts with the explorer.
func TestTheExplorerAgreesOnLongLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := someMachine(t, "m")
		d.ScoringMode = personas.Scoring
		limit, delta := rapid.IntRange(4, 20).Draw(t, "long"), rapid.IntRange(-3, 3).Draw(t, "paid")
		d.States[0].MaxRedirects, d.States[0].IsTerminal = &limit, false
		for i := range d.Transitions {
			if row := &d.Transitions[i]; row.From == "0" && row.Decision == personas.DecideRedirect {
				row.ScoreDelta = delta
			}
		}
		d.Transitions = append(d.Transitions, newTransition(0, personas.DecideRedirect, -1, delta))
		p := &personas.Persona{Name: "p", Machines: []personas.Machine{d}}
		report := assert.Value(prove.Persona(p))(t)
		run := assert.Value(engine.CompilePersona(p))(t)
		x := newExplorer(&d, run.Machine("m"), 5*scoreWindow(&d))
		checkWays(t, x, &report.Machines[0])
		checkStuck(t, x, report)
		checkReplays(t, p, run, report)
	})
}

// checkWays is checkMachine without the greatest scores, which need a wider window.
func checkWays(t assert.TB, x *explorer, m *prove.Machine) {
	for _, s := range m.States {
		steps, ok := x.entered[s.Key]
		checkSame(t, "state "+s.Key, ok, s.Reachable, steps, s.Witness)
	}
	for _, o := range m.Outcomes {
		low, high, steps, ok := x.outcomeRange(o.Outcome)
		checkSame(t, "outcome "+string(o.Outcome), ok, o.Reachable, steps, o.Witness)
		assert.Must(t, !ok || int(*o.Min) == low, "%s: least score %s, explored %d", o.Outcome, o.Min, low)
		assert.Must(t, !ok || x.overflow || int(*o.Max) == high, "%s: greatest score %s, explored %d", o.Outcome, o.Max, high)
	}
}
