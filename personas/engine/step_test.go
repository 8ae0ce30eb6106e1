package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

const (
	pass     = personas.DecidePass
	redirect = personas.DecideRedirect
	reject   = personas.DecideReject
	kick     = personas.DecideKickOut
)

func newTransition(from string, d personas.Decision, to string, delta, priority int) personas.Transition {
	return personas.Transition{From: from, To: to, Decision: d, ScoreDelta: delta, Priority: priority}
}

// newMachine returns a machine with the states a, b and end, threshold 3, bound -3, and the given transitions.
func newMachine(mode personas.ScoringMode, ts ...personas.Transition) *personas.Machine {
	return &personas.Machine{
		Key: "m", ScoringMode: mode, Transitions: ts,
		States: []personas.State{{Key: "a", IsInitial: true}, {Key: "b"}, {Key: "end", IsTerminal: true}},
	}
}

func limitRedirects(d *personas.Machine, n int) *personas.Machine {
	d.States[0].MaxRedirects = new(n)
	return d
}

func compileMachine(t assert.TB, d *personas.Machine) *Machine {
	t.Helper()
	return assert.Value(Compile(d))(t)
}

type stepCase struct {
	name     string
	doc      *personas.Machine
	verdicts []Verdict
	want     Session
	decision personas.Decision // of the last step; "" is a follow-up
	row      int               // Result.Transition of the last step
	moved    bool              // of the last step
}

func runCases(t *testing.T, cases []stepCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := compileMachine(t, c.doc)
			s, r := m.Start(), Result{}
			for i, v := range c.verdicts {
				r = assert.Value(m.Step(s, v))(t, "step %d", i)
				s = r.Session
			}
			want := Result{Session: c.want, Decision: c.decision, FollowUp: c.decision == "", Transition: c.row, Moved: c.moved}
			assert.Equal(t, r, want)
			assert.Equal(t, r.IsCompleted(), c.want.IsFinished(), "Completed contradicts the session's outcome")
		})
	}
}

const (
	sc = personas.Scoring
	pf = personas.PassFail
)

func TestPass(t *testing.T) {
	runCases(t, []stepCase{
		{"moves and adds", newMachine(sc, newTransition("a", pass, "b", 2, 0)), []Verdict{Fire(0)}, Session{State: "b", Score: 2}, pass, 0, true},
		{"adds nothing in pass_fail", newMachine(pf, newTransition("a", pass, "b", 2, 0)), []Verdict{Fire(0)}, Session{State: "b"}, pass, 0, true},
		{"clears the redirects", newMachine(sc, newTransition("a", pass, "b", 0, 0)), []Verdict{None, None, Fire(0)}, Session{State: "b"}, pass, 0, true},
		{"to its own state clears the redirects", newMachine(sc, newTransition("a", pass, "a", 1, 0)), []Verdict{None, Fire(0)}, Session{State: "a", Score: 1}, pass, 0, true},
		{"clears a pending follow-up", newMachine(sc, newTransition("a", pass, "b", 0, 0)), []Verdict{FollowUp, Fire(0)}, Session{State: "b"}, pass, 0, true},
		{"score stops at the greatest integer", newMachine(sc, newTransition("a", pass, "a", math.MaxInt, 0)), []Verdict{Fire(0), Fire(0)}, Session{State: "a", Score: math.MaxInt}, pass, 0, true},
	})
}

func TestRedirect(t *testing.T) {
	rows := func() *personas.Machine {
		return newMachine(sc, newTransition("a", redirect, "", -1, 5), newTransition("a", redirect, "b", 2, 1), newTransition("a", pass, "b", 0, 0))
	}
	limit := func(n int, ts ...personas.Transition) *personas.Machine {
		return limitRedirects(newMachine(sc, ts...), n)
	}
	lines := []personas.Transition{newTransition("a", redirect, "", -2, 0), newTransition("a", reject, "b", -1, 0)}
	runCases(t, []stepCase{
		{"stays whatever its target says", rows(), []Verdict{Fire(1)}, Session{State: "a", Score: 2, Redirects: 1}, redirect, 1, false},
		{"none takes the delta of the first redirect row", rows(), []Verdict{None}, Session{State: "a", Score: 2, Redirects: 1}, redirect, 1, false},
		{"a fired row gives its own delta", rows(), []Verdict{Fire(0)}, Session{State: "a", Score: -1, Redirects: 1}, redirect, 0, false},
		{"none without a redirect row", newMachine(sc), []Verdict{None, None}, Session{State: "a", Redirects: 2}, redirect, -1, false},
		{"no delta in pass_fail", newMachine(pf, newTransition("a", redirect, "", -9, 0)), []Verdict{None}, Session{State: "a", Redirects: 1}, redirect, 0, false},
		{"without a limit it counts on", newMachine(sc), []Verdict{None, None, None, None, None}, Session{State: "a", Redirects: 5}, redirect, -1, false},
		{"the last one within the limit", limit(2, lines...), []Verdict{None, None}, Session{State: "a", Score: -4, Redirects: 2, Outcome: personas.Reject}, redirect, 0, false},
		{"at the limit: the first reject row", limit(1, lines...), []Verdict{Fire(0), Fire(0)}, Session{State: "b", Score: -3, Outcome: personas.Reject}, reject, 1, true},
		{"at limit 0 the first one is a reject", limit(0, lines...), []Verdict{None}, Session{State: "b", Score: -1}, reject, 1, true},
		{"at the limit without a reject row: delta 0, to the pass target", limit(1, newTransition("a", pass, "b", 2, 0)), []Verdict{None, None}, Session{State: "b"}, reject, -1, true},
		{"at the limit with neither: it stays, and so does the count", limit(1), []Verdict{None, None, None}, Session{State: "a", Redirects: 1}, reject, -1, false},
		{"at the limit in pass_fail", limitRedirects(newMachine(pf, lines...), 0), []Verdict{None}, Session{State: "a", Outcome: personas.Reject}, reject, 1, false},
		{"at the limit in pass_fail without a row", limitRedirects(newMachine(pf), 1), []Verdict{None, None}, Session{State: "a", Redirects: 1, Outcome: personas.Reject}, reject, -1, false},
		{"the first reject by priority, then place", limit(0, newTransition("a", reject, "b", -1, 2), newTransition("a", reject, "b", -2, 1), newTransition("a", reject, "end", 0, 1)),
			[]Verdict{None}, Session{State: "b", Score: -2}, reject, 1, true},
	})
}

func TestReject(t *testing.T) {
	way := newTransition("a", pass, "b", 9, 0)
	runCases(t, []stepCase{
		{"goes to its own target", newMachine(sc, way, newTransition("a", reject, "end", -1, 0)), []Verdict{Fire(1)}, Session{State: "end", Score: -1, Outcome: personas.Reject}, reject, 1, true},
		{"without a target: the first pass's, without its delta", newMachine(sc, newTransition("a", pass, "end", 9, 1), way, newTransition("a", reject, "", -1, 0)),
			[]Verdict{Fire(2)}, Session{State: "b", Score: -1}, reject, 2, true},
		{"target is where it leaves: the first pass's", newMachine(sc, way, newTransition("a", reject, "a", -1, 0)), []Verdict{Fire(1)}, Session{State: "b", Score: -1}, reject, 1, true},
		{"without target and pass it stays", newMachine(sc, newTransition("a", reject, "", -1, 0)), []Verdict{None, Fire(0)}, Session{State: "a", Score: -1, Redirects: 1}, reject, 0, false},
		{"the first pass is a loop: nothing moves", newMachine(sc, newTransition("a", pass, "a", 9, 0), newTransition("a", reject, "", -1, 0)),
			[]Verdict{None, Fire(1)}, Session{State: "a", Score: -1, Redirects: 1}, reject, 1, false},
		{"moving clears the redirects", newMachine(sc, way, newTransition("a", reject, "", 0, 0)), []Verdict{None, Fire(1)}, Session{State: "b"}, reject, 1, true},
		{"in pass_fail it ends the machine where it stands", newMachine(pf, way, newTransition("a", reject, "b", -1, 0)), []Verdict{None, Fire(1)},
			Session{State: "a", Redirects: 1, Outcome: personas.Reject}, reject, 1, false},
	})
}

func TestKickOut(t *testing.T) {
	row := newTransition("a", kick, "b", -7, 0)
	runCases(t, []stepCase{
		{"scoring: delta, outcome, stays", newMachine(sc, row), []Verdict{Fire(0)}, Session{State: "a", Score: -7, Outcome: personas.KickOut}, kick, 0, false},
		{"pass_fail: outcome, stays, no score", newMachine(pf, row), []Verdict{None, Fire(0)}, Session{State: "a", Redirects: 1, Outcome: personas.KickOut}, kick, 0, false},
		{"wins over a terminal state", terminalFirst(sc, newTransition("a", kick, "", 5, 0)), []Verdict{Fire(0)}, Session{State: "a", Score: 5, Outcome: personas.KickOut}, kick, 0, false},
	})
}

func TestFollowUp(t *testing.T) {
	d := newMachine(sc, newTransition("a", redirect, "", -1, 0), newTransition("a", pass, "b", 0, 0))
	runCases(t, []stepCase{
		{"moves nothing", d, []Verdict{None, FollowUp}, Session{State: "a", Score: -1, Redirects: 1, FollowUpPending: true}, "", -1, false},
		{"a second one counts as none", d, []Verdict{FollowUp, FollowUp}, Session{State: "a", Score: -1, Redirects: 1}, redirect, 0, false},
		{"a third one asks again", d, []Verdict{FollowUp, FollowUp, FollowUp}, Session{State: "a", Score: -1, Redirects: 1, FollowUpPending: true}, "", -1, false},
		{"after a pass it may ask again", d, []Verdict{FollowUp, Fire(1), FollowUp}, Session{State: "b", FollowUpPending: true}, "", -1, false},
		{"ends nothing in a terminal state", terminalFirst(sc), []Verdict{FollowUp}, Session{State: "a", FollowUpPending: true}, "", -1, false},
		{"a second one at the redirect limit is a reject", limitRedirects(newMachine(sc, newTransition("a", reject, "b", -1, 0)), 0), []Verdict{FollowUp, FollowUp}, Session{State: "b", Score: -1}, reject, 0, true},
	})
}

// terminalFirst returns a machine with a terminal initial state.
func terminalFirst(mode personas.ScoringMode, ts ...personas.Transition) *personas.Machine {
	d := newMachine(mode, ts...)
	d.States[0].IsTerminal = true
	return d
}

func TestOutcome(t *testing.T) {
	to := func(delta int) *personas.Machine { return newMachine(sc, newTransition("a", pass, "end", delta, 0)) }
	on := func(delta int) *personas.Machine { return newMachine(sc, newTransition("a", pass, "b", delta, 0)) }
	set := func(d *personas.Machine, threshold, bound int) *personas.Machine {
		d.PassThreshold, d.EarlyFailBound = new(threshold), new(bound)
		return d
	}
	ends := func(o personas.Outcome) *personas.Machine {
		d := newMachine(pf, newTransition("a", pass, "end", 0, 0))
		d.States[2].TerminalOutcome = o
		return d
	}
	fire := []Verdict{Fire(0)}
	runCases(t, []stepCase{
		{"threshold exactly met", to(3), fire, Session{State: "end", Score: 3, Outcome: personas.Accept}, pass, 0, true},
		{"threshold missed by one", to(2), fire, Session{State: "end", Score: 2, Outcome: personas.Reject}, pass, 0, true},
		{"own threshold exactly met", set(to(0), 0, -3), fire, Session{State: "end", Outcome: personas.Accept}, pass, 0, true},
		{"own threshold missed by one", set(to(-1), 0, -3), fire, Session{State: "end", Score: -1, Outcome: personas.Reject}, pass, 0, true},
		{"bound exactly hit", on(-3), fire, Session{State: "b", Score: -3, Outcome: personas.Reject}, pass, 0, true},
		{"bound missed by one", on(-2), fire, Session{State: "b", Score: -2}, pass, 0, true},
		{"own bound exactly hit", set(on(-1), 3, -1), fire, Session{State: "b", Score: -1, Outcome: personas.Reject}, pass, 0, true},
		{"own bound missed by one", set(on(0), 3, -1), fire, Session{State: "b"}, pass, 0, true},
		{"the bound is asked before the terminal state", set(to(-5), -9, -5), fire, Session{State: "end", Score: -5, Outcome: personas.Reject}, pass, 0, true},
		{"one above that bound the terminal state speaks", set(to(-4), -9, -5), fire, Session{State: "end", Score: -4, Outcome: personas.Accept}, pass, 0, true},
		{"a redirect can hit the bound", newMachine(sc, newTransition("a", redirect, "", -3, 0)), []Verdict{None}, Session{State: "a", Score: -3, Redirects: 1, Outcome: personas.Reject}, redirect, 0, false},
		{"a reject can hit the bound", newMachine(sc, newTransition("a", reject, "b", -3, 0)), fire, Session{State: "b", Score: -3, Outcome: personas.Reject}, reject, 0, true},
		{"a reject can reach ACCEPT", newMachine(sc, newTransition("a", reject, "end", 3, 0)), fire, Session{State: "end", Score: 3, Outcome: personas.Accept}, reject, 0, true},
		{"a bound of 0 ends at the first step", set(on(0), 3, 0), fire, Session{State: "b", Outcome: personas.Reject}, pass, 0, true},
		{"terminal at once: the first step ends it", terminalFirst(sc), []Verdict{None}, Session{State: "a", Redirects: 1, Outcome: personas.Reject}, redirect, -1, false},
		{"terminal at once in pass_fail", terminalFirst(pf), []Verdict{FollowUp, None}, Session{State: "a", Redirects: 1, Outcome: personas.Accept}, redirect, -1, false},
		{"pass_fail: a terminal state accepts", ends(""), fire, Session{State: "end", Outcome: personas.Accept}, pass, 0, true},
		{"pass_fail: unless it says REJECT", ends(personas.Reject), fire, Session{State: "end", Outcome: personas.Reject}, pass, 0, true},
		{"pass_fail knows no bound", set(newMachine(pf, newTransition("a", pass, "b", -9, 0)), 3, 0), fire, Session{State: "b"}, pass, 0, true},
		{"scoring ignores terminal_outcome", func() *personas.Machine { d := to(3); d.States[2].TerminalOutcome = personas.Reject; return d }(),
			fire, Session{State: "end", Score: 3, Outcome: personas.Accept}, pass, 0, true},
	})
}

func TestRefusalsLeaveTheSessionAsItWas(t *testing.T) {
	m := compileMachine(t, newMachine(sc, newTransition("a", pass, "b", 0, 0), newTransition("b", pass, "end", 0, 0)))
	cases := []struct {
		name string
		s    Session
		v    Verdict
		want error
	}{
		{"finished", Session{State: "end", Outcome: personas.Accept}, None, ErrFinished},
		{"finished, whatever else is wrong", Session{State: "x", Outcome: personas.KickOut}, Fire(9), ErrFinished},
		{"unknown state", Session{State: "x"}, None, ErrUnknownState},
		{"transition of another state", Session{State: "a", FollowUpPending: true}, Fire(1), ErrVerdict},
		{"no such transition", Session{State: "a", Score: 2, Redirects: 1}, Fire(2), ErrVerdict},
		{"no such verdict", Session{State: "a"}, Verdict(-4), ErrVerdict},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r, err := m.Step(c.s, c.v)
			assert.ErrorIs(t, err, c.want)
			assert.Equal(t, r, (Result{Session: c.s, Transition: -1}))
		})
	}
}

func TestOrderOfTransitions(t *testing.T) {
	m := compileMachine(t, newMachine(sc, newTransition("a", pass, "b", 0, 3), newTransition("a", redirect, "", 0, 1), newTransition("b", pass, "end", 0, 0),
		newTransition("a", reject, "", 0, 1), newTransition("a", kick, "", 0, -2)))
	assert.EqualSlices(t, m.Outgoing("a"), []int{4, 1, 3, 0}, "outgoing")
	got := m.Outgoing("nowhere")
	assert.True(t, got == nil, "outgoing of an unknown state: %v", got)
	for _, c := range []struct {
		state   string
		holding []int
		want    Verdict
	}{
		{"a", nil, None}, {"a", []int{0}, Fire(0)}, {"a", []int{0, 3}, Fire(3)}, {"a", []int{3, 1}, Fire(1)},
		{"a", []int{0, 1, 3, 4}, Fire(4)}, {"a", []int{2}, None}, {"a", []int{2, 0}, Fire(0)}, {"a", []int{-1, 99}, None},
		{"nowhere", []int{0}, None},
	} {
		t.Run(fmt.Sprint(c.state, c.holding), func(t *testing.T) {
			assert.Equal(t, m.Choose(c.state, c.holding), c.want, "Choose(%q, %v)", c.state, c.holding)
		})
	}
}

func TestStart(t *testing.T) {
	assert.Equal(t, compileMachine(t, newMachine(sc)).Start(), (Session{State: "a"}), "start")
}

func TestCompileRefuses(t *testing.T) {
	for name, spoil := range map[string]func(d *personas.Machine){
		"no initial state":         func(d *personas.Machine) { d.States[0].IsInitial = false },
		"two initial states":       func(d *personas.Machine) { d.States[1].IsInitial = true },
		"two states of one key":    func(d *personas.Machine) { d.States[1].Key = "a" },
		"state without a key":      func(d *personas.Machine) { d.States[1].Key = "" },
		"unknown terminal outcome": func(d *personas.Machine) { d.States[2].TerminalOutcome = personas.KickOut },
		"unknown source":           func(d *personas.Machine) { d.Transitions[0].From = "x" },
		"unknown target":           func(d *personas.Machine) { d.Transitions[0].To = "x" },
		"pass without a target":    func(d *personas.Machine) { d.Transitions[0].To = "" },
		"unknown decision":         func(d *personas.Machine) { d.Transitions[0].Decision = "maybe" },
	} {
		t.Run(name, func(t *testing.T) {
			d := newMachine(sc, newTransition("a", pass, "b", 0, 0))
			spoil(d)
			m, err := Compile(d)
			assert.True(t, errors.Is(err, ErrDocument) && m == nil, "got %v, %v; want ErrDocument", m, err)
		})
	}
}

// TestOutcomesAhead: FindOutcomes and LowestWin find the possible ends of a machine, and an endless search stops.
func TestOutcomesAhead(t *testing.T) {
	m := compileMachine(t, newMachine(personas.Scoring, newTransition("a", pass, "b", 2, 0), newTransition("a", kick, "", 0, 1),
		newTransition("b", pass, "end", 1, 0), newTransition("b", reject, "end", 0, 1)))
	steps := 1000
	got := m.FindOutcomes(m.Start(), &steps)
	slices.Sort(got)
	want := []personas.Outcome{personas.Accept, personas.KickOut, personas.Reject}
	assert.EqualSlices(t, got, want)
	assert.True(t, steps > 0 && steps < 1000, "%d of 1000 steps left", steps)
	for state, want := range map[string]int{"a": 0, "b": 2} {
		lowest, wins := m.LowestWin(state, &steps)
		assert.True(t, wins && lowest == want, "%s: %d, %v", state, lowest, wins)
	}
	dead := compileMachine(t, newMachine(personas.Scoring, newTransition("a", reject, "end", -1, 0)))
	lowest, wins := dead.LowestWin("a", &steps)
	assert.True(t, !wins, "a lost state is won with %d", lowest)
	endless := compileMachine(t, newMachine(personas.Scoring, newTransition("a", pass, "a", 1, 0)))
	for steps = 500; steps > 0; {
		endless.FindOutcomes(endless.Start(), &steps)
		endless.LowestWin("a", &steps)
	}
}

// TestNamedEndings: an ending has the name of its transition, else of its state, and FindEndings finds all.
func TestNamedEndings(t *testing.T) {
	doc := newMachine(personas.Scoring, newTransition("a", pass, "end", 3, 0), newTransition("a", pass, "end", 3, 1), newTransition("a", pass, "end", 0, 2),
		newTransition("a", kick, "", 0, 3), newTransition("a", pass, "b", 0, 4), newTransition("b", reject, "b", -3, 0))
	doc.Transitions[1].EndingName = "bribed"
	doc.Transitions[5].EndingName = "given up"
	for i := range doc.States {
		doc.States[i].EndingName = "in " + doc.States[i].Key
	}
	m := compileMachine(t, doc)
	for i, want := range []string{"in end", "bribed", "in end", "", ""} {
		assert.Equal(t, assert.Value(m.Step(m.Start(), Fire(i)))(t).Ending, want, "transition %d", i)
	}
	steps := 1000
	want := []Ending{{personas.Accept, "in end"}, {personas.Accept, "bribed"}, {personas.Reject, "in end"}, {personas.KickOut, ""}, {personas.Reject, "given up"}}
	assert.EqualSlices(t, m.FindEndings(&steps), want)
}

// TestCanEndByRefusal: a refusal ends the machine if a reject does, or a pass to a terminal state
// with the outcome REJECT, but not the reject after the last redirect.
func TestCanEndByRefusal(t *testing.T) {
	lost := newMachine(pf, newTransition("a", pass, "end", 0, 0))
	lost.States[2].TerminalOutcome = personas.Reject
	for name, c := range map[string]struct {
		doc   *personas.Machine
		score int
		want  bool
	}{
		"a reject of pass_fail":           {newMachine(pf, newTransition("a", reject, "", 0, 0)), 0, true},
		"a pass that loses":               {lost, 0, true},
		"a reject to a terminal state":    {newMachine(sc, newTransition("a", reject, "end", 0, 0)), 0, true},
		"a reject with enough points":     {newMachine(sc, newTransition("a", reject, "end", 0, 0)), 3, false},
		"a reject that goes on":           {newMachine(sc, newTransition("a", reject, "b", -1, 0)), 0, false},
		"a reject to the bound":           {newMachine(sc, newTransition("a", reject, "b", -1, 0)), -2, true},
		"a pass with too few points":      {newMachine(sc, newTransition("a", pass, "end", 0, 0)), 0, false},
		"the reject after the last retry": {limitRedirects(newMachine(pf, newTransition("a", redirect, "", 0, 0)), 0), 0, false},
		"a kick_out":                      {newMachine(pf, newTransition("a", kick, "", 0, 0)), 0, false},
	} {
		assert.Equal(t, compileMachine(t, c.doc).CanEndByRefusal(Session{State: "a", Score: c.score}), c.want, name)
	}
}

func TestLosing(t *testing.T) {
	rows := []personas.Transition{
		newTransition("a", pass, "end", 2, 0), newTransition("a", redirect, "", -1, 1), newTransition("a", reject, "b", -3, 2), newTransition("a", kick, "", 0, 3),
	}
	for name, c := range map[string]struct {
		doc  *personas.Machine
		at   Session
		want []int
	}{
		"pass_fail":                    {newMachine(pf, rows...), Session{State: "a"}, []int{2, 3}},
		"pass_fail, last try":          {limitRedirects(newMachine(pf, rows...), 1), Session{State: "a", Redirects: 1}, []int{1, 2, 3, -1}},
		"too few points, at the bound": {newMachine(sc, rows...), Session{State: "a"}, []int{0, 2, 3}},
		"enough points":                {newMachine(sc, rows...), Session{State: "a", Score: 2}, []int{3}},
		"a redirect at the bound":      {newMachine(sc, rows...), Session{State: "a", Score: -2}, []int{0, 1, 2, 3, -1}},
		"finished":                     {newMachine(pf, rows...), Session{State: "a", Outcome: personas.Reject}, nil},
	} {
		assert.EqualSlices(t, compileMachine(t, c.doc).Losing(c.at), c.want, name)
	}
}
