package engine

import (
	"slices"

	"github.com/parley-npc/parley/personas"
)

// countOutcomes is how many outcomes there are: accept, reject, kick out.
const countOutcomes = 3

// FindOutcomes returns the possible outcomes of a session. It decrements steps for each step that
// it examines, and at 0 returns the outcomes found so far.
func (m *Machine) FindOutcomes(from Session, steps *int) []personas.Outcome {
	var outcomes []personas.Outcome
	seen, waiting := map[Session]bool{from: true}, []Session{from}
	for len(waiting) > 0 && len(outcomes) < countOutcomes && *steps > 0 {
		at := waiting[0]
		waiting = waiting[1:]
		for _, next := range m.nextSessions(at, steps) {
			switch {
			case !next.IsFinished() && !seen[next]:
				seen[next], waiting = true, append(waiting, next)
			case next.IsFinished() && !slices.Contains(outcomes, next.Outcome):
				outcomes = append(outcomes, next.Outcome)
			}
		}
	}
	return outcomes
}

// nextSessions returns the sessions that are possible after one message.
func (m *Machine) nextSessions(at Session, steps *int) []Session {
	verdicts := []Verdict{None}
	for _, i := range m.Outgoing(at.State) {
		verdicts = append(verdicts, Fire(i))
	}
	var list []Session
	for _, v := range verdicts {
		*steps--
		r, err := m.Step(at, v)
		if err != nil {
			continue
		}
		if m.states[r.Session.State].maxRedirects < 0 { // Without a count they are all alike.
			r.Session.Redirects = 0
		}
		list = append(list, r.Session)
	}
	return list
}

// LowestWin returns the lowest score at which a machine can still be accepted from a state, as far
// as it can be found in steps; without scores it is 0. wins is false if acceptance is impossible.
func (m *Machine) LowestWin(state string, steps *int) (lowest int, wins bool) {
	highest, bound := 0, -1
	if m.scoring {
		highest, bound = m.threshold, m.bound
	}
	for score := highest; score > bound && *steps > 0; score-- {
		if !slices.Contains(m.FindOutcomes(Session{State: state, Score: score}, steps), personas.Accept) {
			break
		}
		lowest, wins = score, true
	}
	return lowest, wins
}
