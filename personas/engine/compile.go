package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/parley-npc/parley/personas"
)

func (m *Machine) addTransitions(doc *personas.Machine) error {
	for _, i := range tried(doc.Transitions) {
		t := &doc.Transitions[i]
		if err := m.check(doc, i); err != nil {
			return err
		}
		st := m.states[t.From]
		st.out = append(st.out, row{index: i, decision: t.Decision, to: t.To, delta: t.ScoreDelta})
	}
	return nil
}

// tried orders transitions by priority; equal priorities keep document order.
func tried(ts []personas.Transition) []int {
	order := make([]int, len(ts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ts[a].Priority, ts[b].Priority) })
	return order
}

func (m *Machine) check(doc *personas.Machine, i int) error {
	t := &doc.Transitions[i]
	switch {
	case m.states[t.From] == nil:
		return fmt.Errorf("%w: transition %d of machine %q leaves unknown state %q", ErrDocument, i, doc.Key, t.From)
	case t.To != "" && m.states[t.To] == nil:
		return fmt.Errorf("%w: transition %d of machine %q leads to unknown state %q", ErrDocument, i, doc.Key, t.To)
	case t.To == "" && t.Decision == personas.DecidePass:
		return fmt.Errorf("%w: pass transition %d of machine %q leads nowhere", ErrDocument, i, doc.Key)
	case !known(t.Decision):
		return fmt.Errorf("%w: transition %d of machine %q has unknown decision %q", ErrDocument, i, doc.Key, t.Decision)
	}
	return nil
}

func known(d personas.Decision) bool {
	switch d {
	case personas.DecidePass, personas.DecideRedirect, personas.DecideReject, personas.DecideKickOut:
		return true
	}
	return false
}

// findFirsts remembers the first row of each decision that the rules ask for.
func (st *state) findFirsts() {
	for i := len(st.out) - 1; i >= 0; i-- {
		switch st.out[i].decision {
		case personas.DecidePass:
			st.pass = i
		case personas.DecideRedirect:
			st.redirect = i
		case personas.DecideReject:
			st.reject = i
		}
	}
}
