package lint

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
)

// The checks of each machine by itself.

func statePath(machine, state int) string {
	return fmt.Sprintf("machines[%d].states[%d]", machine, state)
}

func transitionPath(machine, transition int) string {
	return fmt.Sprintf("machines[%d].transitions[%d]", machine, transition)
}

func stateKeys(m *personas.Machine) []string {
	return keysOf(m.States, func(s *personas.State) string { return s.Key })
}

func findDuplicateStateKeys(s *checkContext, report reporter) {
	p := s.p
	for i := range p.Machines {
		reportDuplicates(report, func(j int) string { return statePath(i, j) + ".state_key" }, stateKeys(&p.Machines[i]))
	}
}

// statesThat gives the indexes of the states of which something holds.
func statesThat(m *personas.Machine, holds func(*personas.State) bool) []int {
	var indexes []int
	for i := range m.States {
		if holds(&m.States[i]) {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

func isInitial(s *personas.State) bool  { return s.IsInitial }
func isTerminal(s *personas.State) bool { return s.IsTerminal }

func findNoInitialState(s *checkContext, report reporter) {
	p := s.p
	for i := range p.Machines {
		m := &p.Machines[i]
		if len(statesThat(m, isInitial)) == 0 {
			report(fmt.Sprintf("machines[%d].states", i), "machine %q has no initial state; mark one with is_initial_state: true", m.Key)
		}
	}
}

func findSeveralInitialStates(s *checkContext, report reporter) {
	p := s.p
	for i := range p.Machines {
		m := &p.Machines[i]
		marked := statesThat(m, isInitial)
		for _, j := range marked[min(1, len(marked)):] {
			report(statePath(i, j)+".is_initial_state", "state %q is initial, but %q is already; a machine begins in one state", m.States[j].Key, m.States[marked[0]].Key)
		}
	}
}

func findNoTerminalState(s *checkContext, report reporter) {
	p := s.p
	for i := range p.Machines {
		m := &p.Machines[i]
		if len(statesThat(m, isTerminal)) == 0 {
			report(fmt.Sprintf("machines[%d].states", i), "machine %q has no terminal state; mark where it ends with is_terminal_state: true", m.Key)
		}
	}
}

// rowAt is a machine's and a transition's index. Its path is made only where
// something is reported.
type rowAt struct{ machine, row int }

func (r rowAt) pathOf() string { return transitionPath(r.machine, r.row) }

// eachTransition visits transitions with the keys of their machine's states.
func eachTransition(p *personas.Persona, visit func(at rowAt, t *personas.Transition, m *personas.Machine, known map[string]*personas.State)) {
	for i := range p.Machines {
		m := &p.Machines[i]
		known := make(map[string]*personas.State, len(m.States))
		for j := range m.States {
			known[m.States[j].Key] = &m.States[j]
		}
		for j := range m.Transitions {
			visit(rowAt{i, j}, &m.Transitions[j], m, known)
		}
	}
}

func findUnknownFromStates(s *checkContext, report reporter) {
	eachTransition(s.p, func(at rowAt, t *personas.Transition, m *personas.Machine, known map[string]*personas.State) {
		if known[t.From] == nil {
			hint := suggestion{word: t.From, words: func() []string { return stateKeys(m) }}
			report(at.pathOf()+".from_state_key", "machine %q has no state %q%s", m.Key, t.From, hint).offerSuggestion(SetValue, at.pathOf()+".from_state_key", hint)
		}
	})
}

func findUnknownToStates(s *checkContext, report reporter) {
	eachTransition(s.p, func(at rowAt, t *personas.Transition, m *personas.Machine, known map[string]*personas.State) {
		if t.To != "" && known[t.To] == nil {
			hint := suggestion{word: t.To, words: func() []string { return stateKeys(m) }}
			report(at.pathOf()+".to_state_key", "machine %q has no state %q%s", m.Key, t.To, hint).offerSuggestion(SetValue, at.pathOf()+".to_state_key", hint)
		}
	})
}

func findPassesToNowhere(s *checkContext, report reporter) {
	eachTransition(s.p, func(at rowAt, t *personas.Transition, _ *personas.Machine, _ map[string]*personas.State) {
		if t.Decision == personas.DecidePass && t.To == "" {
			report(at.pathOf(), "a pass transition needs a to_state_key; add the state to which it leads")
		}
	})
}

// findTerminalTransitions reports rows of terminal states, but not where the
// terminal state is initial too: there the player stands before the machine looks
// whether it has ended.
func findTerminalTransitions(s *checkContext, report reporter) {
	eachTransition(s.p, func(at rowAt, t *personas.Transition, _ *personas.Machine, known map[string]*personas.State) {
		if s := known[t.From]; s != nil && s.IsTerminal && !s.IsInitial {
			report(at.pathOf(), "this transition never fires: the machine ends when it reaches %q", t.From)
		}
	})
}

func findNegativeMaxRedirects(s *checkContext, report reporter) {
	p := s.p
	for i := range p.Machines {
		for j, s := range p.Machines[i].States {
			if s.MaxRedirects != nil && *s.MaxRedirects < 0 {
				report(statePath(i, j)+".max_redirects", "max_redirects is %d; write 0 or more, or leave it out for no limit", *s.MaxRedirects)
			}
		}
	}
}
