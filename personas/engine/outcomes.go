package engine

import (
	"slices"

	"github.com/parley-npc/parley/personas"
)

const countOutcomes = 3

// FindOutcomes returns the possible outcomes of a session. It decrements the counter steps for each
// step that it examines. When the counter is 0, it returns the outcomes found so far.
func (m *Machine) FindOutcomes(from Session, steps *int) []personas.Outcome {
	var outcomes []personas.Outcome
	m.findEnds(from, steps, func(r Result) bool {
		if !slices.Contains(outcomes, r.Session.Outcome) {
			outcomes = append(outcomes, r.Session.Outcome)
		}
		return len(outcomes) < countOutcomes
	})
	return outcomes
}

// An Ending is an outcome with the name that the persona gives to this ending, or "".
type Ending struct {
	Outcome personas.Outcome
	Name    string
}

// String returns the outcome and, if there is one, a slash and the name: "ACCEPT/The bribe".
func (e Ending) String() string {
	if e.Name == "" {
		return string(e.Outcome)
	}
	return string(e.Outcome) + "/" + e.Name
}

// FindEndings returns the possible endings of the machine. It uses steps as FindOutcomes does.
func (m *Machine) FindEndings(steps *int) []Ending {
	var endings []Ending
	seen := map[Ending]bool{}
	m.findEnds(m.Start(), steps, func(r Result) bool {
		if e := (Ending{r.Session.Outcome, r.Ending}); !seen[e] {
			seen[e], endings = true, append(endings, e)
		}
		return m.named || len(endings) < countOutcomes
	})
	return endings
}

// findEnds calls visit for each step that ends the machine. It stops if visit returns false, or
// when the counter steps is 0.
func (m *Machine) findEnds(from Session, steps *int, visit func(Result) bool) {
	seen, waiting := map[Session]bool{from: true}, []Session{from}
	for len(waiting) > 0 && *steps > 0 {
		at := waiting[0]
		waiting = waiting[1:]
		for _, next := range m.nextSteps(at, steps) {
			switch {
			case next.Session.IsFinished():
				if !visit(next) {
					return
				}
			case !seen[next.Session]:
				seen[next.Session], waiting = true, append(waiting, next.Session)
			}
		}
	}
}

func (m *Machine) nextSteps(at Session, steps *int) []Result {
	verdicts := []Verdict{None}
	for _, i := range m.Outgoing(at.State) {
		verdicts = append(verdicts, Fire(i))
	}
	var list []Result
	for _, v := range verdicts {
		*steps--
		r, err := m.Step(at, v)
		if err != nil {
			continue
		}
		if m.states[r.Session.State].maxRedirects < 0 { // Without a maximum, sessions that differ only in redirects are equivalent.
			r.Session.Redirects = 0
		}
		list = append(list, r)
	}
	return list
}

// CanEndByRefusal reports whether a player who refuses in the session loses at once. That is so if
// a reject ends the machine. In pass_fail mode it is also so if a pass leads to a terminal state
// with the outcome REJECT.
func (m *Machine) CanEndByRefusal(s Session) bool {
	for _, i := range m.Outgoing(s.State) {
		r, err := m.Step(s, Fire(i))
		if err != nil || r.Session.Outcome != personas.Reject {
			continue
		}
		at := m.rows[i]
		isRedirect := at.state.out[at.place].decision == personas.DecideRedirect // a reject on the last try
		if r.Decision == personas.DecideReject && !isRedirect || r.Decision == personas.DecidePass && !m.scoring {
			return true
		}
	}
	return false
}

// LowestWin returns the lowest score in a state that still allows the ending ACCEPT.
// It uses steps as FindOutcomes does. If steps reaches 0, a lower score may exist. It returns 0 for
// a machine without scores. wins is false if acceptance is impossible.
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
