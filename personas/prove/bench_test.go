package prove_test

import (
	"fmt"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/prove"
)

func pointerTo(n int) *int { return &n }

func newRow(from int, d personas.Decision, to, delta int) personas.Transition {
	t := personas.Transition{From: fmt.Sprint(from), Decision: d, ScoreDelta: delta}
	if to >= 0 {
		t.To = fmt.Sprint(to)
	}
	return t
}

// storyMachine returns a typical machine of n states: passes forward with a point or two, some
// short cuts, some ways back after a mistake, and kick_outs. Every redirect costs a point, and at
// most two of them are allowed.
func storyMachine(key string, n int) personas.Machine {
	m := personas.Machine{Key: key, PassThreshold: pointerTo(5), EarlyFailBound: pointerTo(-4)}
	for i := range n {
		m.States = append(m.States, personas.State{Key: fmt.Sprint(i), IsInitial: i == 0, IsTerminal: i == n-1, MaxRedirects: pointerTo(2)})
		if i == n-1 {
			break
		}
		m.Transitions = append(m.Transitions, newRow(i, personas.DecidePass, i+1, 1+i%2), newRow(i, personas.DecideRedirect, -1, -1))
		switch i % 5 {
		case 1:
			m.Transitions = append(m.Transitions, newRow(i, personas.DecidePass, min(i+7, n-1), 0))
		case 2:
			m.Transitions = append(m.Transitions, newRow(i, personas.DecideReject, max(i-6, 0), -1))
		case 3:
			m.Transitions = append(m.Transitions, newRow(i, personas.DecideKickOut, -1, -2))
		case 4:
			m.Transitions = append(m.Transitions, newRow(i, personas.DecideReject, -1, -2))
		}
	}
	return m
}

// lineMachine returns a story without ways back. sagaMachine returns one that can start again from
// its last state but one.
func lineMachine(key string, n int) personas.Machine {
	m := storyMachine(key, n)
	for i := range m.Transitions {
		if t := &m.Transitions[i]; t.Decision == personas.DecideReject {
			t.To = ""
		}
	}
	return m
}

func sagaMachine(key string, n int) personas.Machine {
	m := storyMachine(key, n)
	m.Transitions = append(m.Transitions, newRow(n-2, personas.DecidePass, 0, 1))
	return m
}

// chattyMachine returns a story that begins with a state that scores a point for every message.
func chattyMachine(key string, n int) personas.Machine {
	m := lineMachine(key, n)
	m.Transitions = append(m.Transitions, newRow(0, personas.DecidePass, 0, 1))
	return m
}

func chainedPersona(machines, states int) *personas.Persona {
	p := &personas.Persona{Name: "p"}
	for i := range machines {
		p.Machines = append(p.Machines, storyMachine(fmt.Sprint("m", i), states))
		if i > 0 {
			p.Links = append(p.Links, personas.Link{Source: fmt.Sprint("m", i-1), Target: fmt.Sprint("m", i), Condition: personas.IfScoreGTE, Score: 6})
		}
	}
	return p
}

func benchmarkProof(b *testing.B, p *personas.Persona) {
	b.ReportAllocs()
	for b.Loop() {
		_, err := prove.Persona(p)
		assert.NoError(b, err)
	}
}

func BenchmarkFiftyMachines(b *testing.B) { benchmarkProof(b, chainedPersona(50, 200)) }

func BenchmarkGrowth(b *testing.B) {
	for name, newShape := range map[string]func(string, int) personas.Machine{"story": storyMachine, "line": lineMachine, "saga": sagaMachine, "chatty": chattyMachine} {
		for _, n := range []int{10, 100, 1000, 10_000} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				benchmarkProof(b, &personas.Persona{Name: "p", Machines: []personas.Machine{newShape("m", n)}})
			})
		}
	}
}
