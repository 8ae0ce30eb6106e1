// Package engine defines the behaviour of a state machine: one step from a verdict, the outcome of
// a machine, the machines that a completion unlocks, and a player's progress. All functions are
// pure and total: no clock, no randomness, no I/O, no panic. The server, the prover, the
// play-throughs and the linter all call them. One rule exists twice: personas/prove follows scores
// without a step for each, so its outcomeAt repeats the rule for when a score ends a machine; its
// test TestTheExplorerAgrees compares it with this package. The scores drawn in the chat's panel
// and on the play page are for display only. The package never reads a document (personas) and
// never talks to a model (localserver/llm).
package engine

import (
	"cmp"
	"errors"
	"math"

	"github.com/parley-npc/parley/personas"
)

// Refusals of Step and Compile.
var (
	// ErrFinished refuses a step on a machine that has an outcome.
	ErrFinished = errors.New("the machine is finished")
	// ErrUnknownState refuses a step from a state that the machine does not have.
	ErrUnknownState = errors.New("the machine has no such state")
	// ErrVerdict refuses a verdict that names no outgoing transition of the state.
	ErrVerdict = errors.New("the verdict names no outgoing transition of the state")
	// ErrDocument refuses a machine that the document's own rules forbid.
	ErrDocument = errors.New("the machine cannot run")
)

// Verdict is the result of an evaluation: a transition, by its index in the machine's transitions,
// or None, or FollowUp, or Aside.
type Verdict int

// The verdicts that are not a transition.
const (
	None     Verdict = -1
	FollowUp Verdict = -2
	// Aside: the message was neither an attempt nor a failure. The state and all counts stay the
	// same until the state's patience is used up; from then on it is None.
	Aside Verdict = -3
)

// Fire is the verdict that the transition at index i of the machine fires.
func Fire(i int) Verdict { return Verdict(i) }

// Session is a running machine as a value (persona-file section 2).
type Session struct {
	State           string
	Score           int
	Redirects       int
	FollowUpPending bool
	// Asides is how many asides in a row came in this state; any other verdict and
	// any move begin again.
	Asides  int
	Outcome personas.Outcome
}

// IsFinished reports whether the machine has an outcome.
func (s Session) IsFinished() bool { return s.Outcome != personas.NoOutcome }

// Result is the result of one step.
type Result struct {
	Session Session
	// Decision is the decision that fired; empty for a follow-up and for an aside. A redirect
	// beyond max_redirects is a reject.
	Decision personas.Decision
	FollowUp bool
	// Aside means that nothing moved and nothing counted. It is false for an aside
	// beyond the state's patience, which is a redirect.
	Aside bool
	// Transition is the index of the row that gave the delta, or -1.
	Transition int
	// Moved reports whether the state changed or a pass fired.
	Moved bool
	// Ending is the name of the ending that was reached, or "" if it has none.
	Ending string
}

// IsCompleted reports whether the machine ended in this step.
func (r Result) IsCompleted() bool { return r.Session.IsFinished() }

// Machine is a persona's machine, prepared for running. It is immutable.
type Machine struct {
	states    map[string]*state
	rows      []rowPlace // by the transition's index
	initial   string
	scoring   bool
	threshold int
	bound     int
	named     bool // an ending has a name
}

type state struct {
	key          string
	name         string // of the ending in this terminal state, or ""
	terminal     bool
	ending       personas.Outcome
	maxRedirects int // -1: none
	patience     int // in asides; -1: without a bound
	out          []row
	pass         int // index into out of the first pass, redirect, reject; -1: none
	redirect     int
	reject       int
}

// rowPlace describes the position of a transition among those that leave its state.
type rowPlace struct {
	state *state
	place int
}

type row struct {
	index    int
	decision personas.Decision
	to       string
	delta    int
	name     string // of the ending, or ""
}

// Start is the session of a player who has just entered the machine.
func (m *Machine) Start() Session { return Session{State: m.initial} }

// IsLastTry reports whether the next redirect of a session is a reject.
func (m *Machine) IsLastTry(s Session) bool {
	st := m.states[s.State]
	return st != nil && st.maxRedirects >= 0 && s.Redirects >= st.maxRedirects
}

// Outgoing lists the indexes of the state's transitions in the order of evaluation: lowest priority
// first, equal priorities in document order.
func (m *Machine) Outgoing(stateKey string) []int {
	st := m.states[stateKey]
	if st == nil {
		return nil
	}
	indexes := make([]int, len(st.out))
	for i, r := range st.out {
		indexes[i] = r.index
	}
	return indexes
}

// Verdicts lists all verdicts that a state allows: its transitions in the order in which they are
// tried, then None, FollowUp and Aside.
func (m *Machine) Verdicts(stateKey string) []Verdict {
	out := m.Outgoing(stateKey)
	verdicts := make([]Verdict, 0, len(out)+3)
	for _, i := range out {
		verdicts = append(verdicts, Fire(i))
	}
	return append(verdicts, None, FollowUp, Aside)
}

// Choose returns the verdict for the transitions with a true condition: the first of them in the
// state's order, or None.
func (m *Machine) Choose(stateKey string, holding []int) Verdict {
	st := m.states[stateKey]
	if st == nil {
		return None
	}
	for _, r := range st.out {
		for _, h := range holding {
			if h == r.index {
				return Fire(h)
			}
		}
	}
	return None
}

// Step applies a verdict to a session and returns the next session. It refuses, with the session
// unchanged, a finished machine (ErrFinished), an unknown state (ErrUnknownState) and a transition
// that does not leave the state (ErrVerdict).
func (m *Machine) Step(s Session, v Verdict) (Result, error) {
	st := m.states[s.State]
	switch {
	case s.IsFinished():
		return refuseStep(s, ErrFinished)
	case st == nil:
		return refuseStep(s, ErrUnknownState)
	case v == Aside:
		return m.stepAside(st, s), nil
	case v == FollowUp && !s.FollowUpPending:
		s.FollowUpPending, s.Asides = true, 0
		return Result{Session: s, FollowUp: true, Transition: -1}, nil
	}
	r, ok := m.rowFor(st, v)
	if !ok {
		return refuseStep(s, ErrVerdict)
	}
	s.FollowUpPending, s.Asides = false, 0
	return m.applyRow(st, s, r), nil
}

// stepAside counts an aside and changes nothing else. If the state's patience was already used up,
// this aside and the following ones have the effect of None.
func (m *Machine) stepAside(st *state, s Session) Result {
	isCounted := st.patience >= 0 && s.Asides >= st.patience
	s.Asides = addSaturated(s.Asides, 1)
	if !isCounted {
		return Result{Session: s, Aside: true, Transition: -1}
	}
	s.FollowUpPending = false
	r, _ := m.rowFor(st, None)
	return m.applyRow(st, s, r)
}

func refuseStep(s Session, err error) (Result, error) {
	return Result{Session: s, Transition: -1}, err
}

// rowFor finds the verdict's row. For None and a second FollowUp it is the state's
// first redirect, or a redirect without a row.
func (m *Machine) rowFor(st *state, v Verdict) (row, bool) {
	if v == None || v == FollowUp {
		return st.rowAt(st.redirect, personas.DecideRedirect), true
	}
	if v < 0 || int(v) >= len(m.rows) || m.rows[v].state != st {
		return row{}, false
	}
	return st.out[m.rows[v].place], true
}

func (st *state) rowAt(i int, bare personas.Decision) row {
	if i < 0 {
		return row{index: -1, decision: bare}
	}
	return st.out[i]
}

func (m *Machine) applyRow(st *state, s Session, r row) Result {
	if r.decision == personas.DecideRedirect && m.IsLastTry(s) {
		r = st.rowAt(st.reject, personas.DecideReject)
	}
	if m.scoring {
		s.Score = addSaturated(s.Score, r.delta)
	}
	moved := m.moveSession(st, &s, r)
	if !s.IsFinished() {
		s.Outcome = m.outcomeOf(s)
	}
	return Result{Session: s, Decision: r.decision, Transition: r.index, Moved: moved, Ending: m.EndingName(s, r.index)}
}

// EndingName returns the name of a finished session's ending; "" for an ending without a name.
// transition is the index of the one that the last step fired, or -1.
func (m *Machine) EndingName(s Session, transition int) string {
	name := ""
	if transition >= 0 && transition < len(m.rows) {
		name = m.rows[transition].state.out[m.rows[transition].place].name
	}
	st := m.states[s.State]
	if !s.IsFinished() || st == nil {
		return ""
	}
	return cmp.Or(name, st.name)
}

// moveSession applies the state change of a row, or the outcome that it forces.
func (m *Machine) moveSession(st *state, s *Session, r row) bool {
	switch {
	case r.decision == personas.DecideKickOut:
		s.Outcome = personas.KickOut
		return false
	case r.decision == personas.DecideReject && !m.scoring:
		s.Outcome = personas.Reject
		return false
	case r.decision == personas.DecideRedirect:
		s.Redirects = addSaturated(s.Redirects, 1)
		return false
	case r.decision == personas.DecideReject:
		return s.enterState(st.rejectTarget(r), false)
	}
	return s.enterState(r.to, true)
}

// rejectTarget returns the target of a reject in scoring mode: its own target if that is set and
// differs from the state, else that of the first pass, else none.
func (st *state) rejectTarget(r row) string {
	switch {
	case r.to != "" && r.to != st.key:
		return r.to
	case st.pass >= 0:
		return st.out[st.pass].to
	}
	return st.key
}

func (s *Session) enterState(to string, pass bool) bool {
	moved := pass || to != s.State
	if moved {
		s.Redirects, s.Asides = 0, 0
	}
	s.State = to
	return moved
}

// outcomeOf makes the two tests after a step, in their order: the early-fail bound,
// then the terminal state.
func (m *Machine) outcomeOf(s Session) personas.Outcome {
	if m.scoring && s.Score <= m.bound {
		return personas.Reject
	}
	st := m.states[s.State]
	switch {
	case !st.terminal:
		return personas.NoOutcome
	case !m.scoring:
		return st.ending
	case s.Score >= m.threshold:
		return personas.Accept
	}
	return personas.Reject
}

// addSaturated adds without overflow, so that a step has a result for any deltas.
func addSaturated(a, b int) int {
	switch sum := a + b; {
	case b > 0 && sum < a:
		return math.MaxInt
	case b < 0 && sum > a:
		return math.MinInt
	default:
		return sum
	}
}
