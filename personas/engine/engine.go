// Package engine runs state machines. It computes steps, outcomes, unlocked machines and the
// progress of a player. All functions are pure, total and deterministic, and perform no I/O.
// Package prove repeats the outcome rule in outcomeAt, and TestTheExplorerAgrees compares both.
package engine

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/parley-npc/parley/personas"
)

// Errors of Step and Compile.
var (
	// ErrFinished means that the machine already has an outcome.
	ErrFinished = errors.New("the machine is finished")
	// ErrUnknownState means that the machine does not contain the state of the session.
	ErrUnknownState = errors.New("the machine does not contain the state")
	// ErrVerdict means that the verdict is not an outgoing transition of the state.
	ErrVerdict = errors.New("the verdict is not an outgoing transition of the state")
	// ErrDocument means that a machine violates the rules of the document.
	ErrDocument = errors.New("the machine cannot run")
)

// Verdict is the result of an evaluation. It is a transition index, None, FollowUp or Aside.
type Verdict int

// Verdicts without a transition.
const (
	None     Verdict = -1
	FollowUp Verdict = -2
	// Aside means that the message was no attempt. State, score and redirects stay unchanged.
	// Beyond the patience of the state, Aside has the effect of None.
	Aside Verdict = -3
)

// Fire returns the verdict for the transition at index i.
func Fire(i int) Verdict { return Verdict(i) }

// Session is the state of a running machine (docs/persona-file.md, "What a message does").
type Session struct {
	State           string
	Score           int
	Redirects       int
	FollowUpPending bool
	// Asides is the number of consecutive asides in this state.
	Asides  int
	Outcome personas.Outcome
}

// IsFinished reports whether the machine has an outcome.
func (s Session) IsFinished() bool { return s.Outcome != personas.NoOutcome }

// Result is the result of one step.
type Result struct {
	Session Session
	// Decision is the decision that fired, or empty for a follow-up or an aside. A redirect beyond
	// max_redirects becomes a reject.
	Decision personas.Decision
	FollowUp bool
	// Aside means that the message had no effect.
	Aside bool
	// Transition is the index of the fired transition, or -1.
	Transition int
	// Moved means that the state changed or a pass fired.
	Moved bool
	// Ending is the name of the ending, or "".
	Ending string
}

// IsCompleted reports whether the machine ended in this step.
func (r Result) IsCompleted() bool { return r.Session.IsFinished() }

// Machine is a compiled machine of a persona. It is immutable.
type Machine struct {
	states    map[string]*state
	rows      []rowPlace // by transition index
	initial   string
	scoring   bool
	threshold int
	bound     int
	named     bool // an ending has a name
}

type state struct {
	key          string
	name         string // name of the ending in this terminal state, or ""
	terminal     bool
	ending       personas.Outcome
	maxRedirects int // -1: unlimited
	patience     int // number of asides without effect; -1: unlimited
	out          []row
	pass         int // index in out of the first pass; -1: none
	redirect     int // index of the first redirect
	reject       int // index of the first reject
}

type rowPlace struct {
	state *state
	place int
}

type row struct {
	index    int
	decision personas.Decision
	to       string
	delta    int
	name     string // name of the ending, or ""
}

// Start returns the initial session of the machine.
func (m *Machine) Start() Session { return Session{State: m.initial} }

// IsLastTry reports whether the next redirect becomes a reject.
func (m *Machine) IsLastTry(s Session) bool {
	st := m.states[s.State]
	return st != nil && st.maxRedirects >= 0 && s.Redirects >= st.maxRedirects
}

// Losing returns the indexes of transitions that would finish the session without ACCEPT. If a
// message without a transition would also lose, the result contains int(None).
func (m *Machine) Losing(s Session) []int {
	var losing []int
	for _, v := range m.Verdicts(s.State) {
		r, err := m.Step(s, v)
		if err == nil && v >= None && r.Session.IsFinished() && r.Session.Outcome != personas.Accept {
			losing = append(losing, int(v))
		}
	}
	return losing
}

// Outgoing returns transition indexes of a state in order of priority, lowest first, then in
// document order.
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

// Verdicts returns all verdicts of a state. The transitions are in the order of Outgoing, followed by
// None, FollowUp and Aside.
func (m *Machine) Verdicts(stateKey string) []Verdict {
	out := m.Outgoing(stateKey)
	verdicts := make([]Verdict, 0, len(out)+3)
	for _, i := range out {
		verdicts = append(verdicts, Fire(i))
	}
	return append(verdicts, None, FollowUp, Aside)
}

// Choose returns the verdict for the first transition in holding, in the order of Outgoing. An
// empty holding returns None.
func (m *Machine) Choose(stateKey string, holding []int) Verdict {
	st := m.states[stateKey]
	if st == nil {
		return None
	}
	for _, r := range st.out {
		if slices.Contains(holding, r.index) {
			return Fire(r.index)
		}
	}
	return None
}

// Step applies a verdict to a session and returns the next session. After ErrFinished,
// ErrUnknownState or ErrVerdict, the session is unchanged.
func (m *Machine) Step(session Session, v Verdict) (Result, error) {
	current := m.states[session.State]
	switch {
	case session.IsFinished():
		return refuseStep(session, ErrFinished)
	case current == nil:
		return refuseStep(session, ErrUnknownState)
	case v == Aside:
		return m.stepAside(current, session), nil
	case v == FollowUp && !session.FollowUpPending:
		session.FollowUpPending, session.Asides = true, 0
		return Result{Session: session, FollowUp: true, Transition: -1}, nil
	}
	r, ok := m.rowFor(current, v)
	if !ok {
		return refuseStep(session, ErrVerdict)
	}
	session.FollowUpPending, session.Asides = false, 0
	return m.applyRow(current, session, r), nil
}

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

// EndingName returns the name of the ending of a finished session, or "". The parameter transition
// is the fired transition, or -1.
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

func (m *Machine) moveSession(st *state, session *Session, r row) bool {
	switch {
	case r.decision == personas.DecideKickOut:
		session.Outcome = personas.KickOut
		return false
	case r.decision == personas.DecideReject && !m.scoring:
		session.Outcome = personas.Reject
		return false
	case r.decision == personas.DecideRedirect:
		session.Redirects = addSaturated(session.Redirects, 1)
		return false
	case r.decision == personas.DecideReject:
		return session.enterState(st.rejectTarget(r), false)
	}
	return session.enterState(r.to, true)
}

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
