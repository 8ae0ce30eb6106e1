package engine

import (
	"slices"

	"github.com/parley-npc/parley/personas"
)

const countOutcomes = 3

// FindOutcomes returns the possible outcomes of a session. Each examined step decrements the
// counter steps. At 0 the search stops early.
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

// Ending is an outcome with the name of the ending, or "".
type Ending struct {
	Outcome personas.Outcome
	Name    string
}

// String returns the outcome with an optional name: "ACCEPT/The bribe".
func (e Ending) String() string {
	if e.Name == "" {
		return string(e.Outcome)
	}
	return string(e.Outcome) + "/" + e.Name
}

// FindEndings returns the possible endings of the machine. FindOutcomes documents the counter
// steps.
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

func (m *Machine) findEnds(from Session, steps *int, visit func(Result) bool) {
	seen, waiting := map[Session]bool{from: true}, []Session{from}
	for len(waiting) > 0 && *steps > 0 {
		session := waiting[0]
		waiting = waiting[1:]
		for _, next := range m.nextSteps(session, steps) {
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

func (m *Machine) nextSteps(session Session, steps *int) []Result {
	verdicts := []Verdict{None}
	for _, i := range m.Outgoing(session.State) {
		verdicts = append(verdicts, Fire(i))
	}
	var list []Result
	for _, v := range verdicts {
		*steps--
		r, err := m.Step(session, v)
		if err != nil {
			continue
		}
		if m.states[r.Session.State].maxRedirects < 0 {
			r.Session.Redirects = 0 // Without a maximum, the count has no effect.
		}
		list = append(list, r)
	}
	return list
}

// CanEndByRefusal reports whether a refusal loses at once. Either a reject ends the machine, or a
// pass leads to a terminal state with outcome REJECT.
func (m *Machine) CanEndByRefusal(s Session) bool {
	for _, i := range m.Outgoing(s.State) {
		r, err := m.Step(s, Fire(i))
		if err != nil || r.Session.Outcome != personas.Reject {
			continue
		}
		place := m.rows[i]
		isLastRedirect := place.state.out[place.place].decision == personas.DecideRedirect
		isReject := r.Decision == personas.DecideReject && !isLastRedirect
		if isReject || r.Decision == personas.DecidePass && !m.scoring {
			return true
		}
	}
	return false
}

// LowestWin returns the lowest score in a state that still allows ACCEPT. A machine without scores
// returns 0. If ACCEPT is impossible, wins is false. If the counter steps reaches 0, a lower score
// may exist.
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
