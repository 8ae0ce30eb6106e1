package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/parley-npc/parley/personas"
)

// Compile compiles a machine of a document. Invalid keys, states, outcomes and decisions return
// ErrDocument. Exactly one state must be initial. Doubtful machines are accepted, such as a machine
// without a terminal state.
func Compile(doc *personas.Machine) (*Machine, error) {
	machine := &Machine{
		states:    make(map[string]*state, len(doc.States)),
		scoring:   doc.Mode() == personas.Scoring,
		threshold: doc.Threshold(),
		bound:     doc.FailBound(),
	}
	if err := machine.addStates(doc); err != nil {
		return nil, err
	}
	if err := machine.addTransitions(doc); err != nil {
		return nil, err
	}
	for _, st := range machine.states {
		machine.named = machine.named || st.name != ""
		for i, r := range slices.Backward(st.out) {
			machine.named = machine.named || r.name != ""
			switch r.decision {
			case personas.DecidePass:
				st.pass = i
			case personas.DecideRedirect:
				st.redirect = i
			case personas.DecideReject:
				st.reject = i
			}
		}
	}
	return machine, nil
}

func (m *Machine) addStates(doc *personas.Machine) error {
	initial := 0
	for i := range doc.States {
		s := &doc.States[i]
		hasEnding := s.Ending() == personas.Accept || s.Ending() == personas.Reject
		if s.Key == "" || m.states[s.Key] != nil || !hasEnding {
			return fmt.Errorf("%w: state %d of machine %q has an empty or duplicate key %q, or an unknown terminal outcome",
				ErrDocument, i, doc.Key, s.Key)
		}
		m.states[s.Key] = newState(s)
		if s.IsInitial {
			m.initial = s.Key
			initial++
		}
	}
	if initial != 1 {
		return fmt.Errorf("%w: machine %q has %d initial states, not one", ErrDocument, doc.Key, initial)
	}
	return nil
}

func newState(doc *personas.State) *state {
	st := &state{
		key: doc.Key, terminal: doc.IsTerminal, ending: doc.Ending(),
		maxRedirects: -1, patience: -1, pass: -1, redirect: -1, reject: -1,
	}
	if doc.IsTerminal {
		st.name = doc.EndingName
	}
	if doc.MaxRedirects != nil {
		st.maxRedirects = max(*doc.MaxRedirects, 0)
	}
	// A patience below 1 is invalid and counts as unlimited.
	if o := doc.Offline; o != nil && o.Patience != nil && *o.Patience >= 1 {
		st.patience = *o.Patience
	}
	return st
}

var decisions = []personas.Decision{
	personas.DecidePass, personas.DecideRedirect, personas.DecideReject, personas.DecideKickOut,
}

func (m *Machine) addTransitions(doc *personas.Machine) error {
	order := make([]int, len(doc.Transitions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(doc.Transitions[a].Priority, doc.Transitions[b].Priority)
	})
	m.rows = make([]rowPlace, len(doc.Transitions))
	for _, i := range order {
		t := &doc.Transitions[i]
		isKnown := slices.Contains(decisions, t.Decision)
		hasTarget := m.states[t.To] != nil || t.To == "" && t.Decision != personas.DecidePass
		if m.states[t.From] == nil || !hasTarget || !isKnown {
			return fmt.Errorf("%w: transition %d of machine %q, a %q from %q to %q, has an unknown decision or state",
				ErrDocument, i, doc.Key, t.Decision, t.From, t.To)
		}
		st := m.states[t.From]
		m.rows[i] = rowPlace{st, len(st.out)}
		st.out = append(st.out, row{index: i, decision: t.Decision, to: t.To, delta: t.ScoreDelta, name: t.EndingName})
	}
	return nil
}
