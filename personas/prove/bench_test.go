package prove_test

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
)

func pointerTo(n int) *int { return &n }

func newRow(from int, d personas.Decision, to, delta int) personas.Transition {
	t := personas.Transition{From: fmt.Sprint(from), Decision: d, ScoreDelta: delta}
	if to >= 0 {
		t.To = fmt.Sprint(to)
	}
	return t
}

// storyMachine returns a typical machine of n states. A redirect costs a point, and two are allowed.
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

// lineMachine returns a story without ways back.
func lineMachine(key string, n int) personas.Machine {
	m := storyMachine(key, n)
	for i := range m.Transitions {
		if t := &m.Transitions[i]; t.Decision == personas.DecideReject {
			t.To = ""
		}
	}
	return m
}
