package engine

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

var someOutcome = rapid.SampledFrom([]personas.Outcome{personas.Accept, personas.Reject, personas.KickOut})

// someMachine draws a machine that Compile accepts, with or without terminal states.
func someMachine(t *rapid.T) *personas.Machine {
	n := rapid.IntRange(1, 5).Draw(t, "states")
	d := &personas.Machine{Key: "m", ScoringMode: rapid.SampledFrom([]personas.ScoringMode{sc, pf}).Draw(t, "mode")}
	limit, patience := rapid.Ptr(rapid.IntRange(0, 3), true), rapid.Ptr(rapid.IntRange(0, 3), true)
	number := rapid.Ptr(rapid.IntRange(-6, 6), true)
	d.PassThreshold, d.EarlyFailBound = number.Draw(t, "threshold"), number.Draw(t, "bound")
	for i := range n {
		d.States = append(d.States, personas.State{
			Key: fmt.Sprint(i), IsInitial: i == 0, IsTerminal: rapid.Bool().Draw(t, "terminal"), MaxRedirects: limit.Draw(t, "limit"),
			TerminalOutcome: rapid.SampledFrom([]personas.Outcome{"", personas.Accept, personas.Reject}).Draw(t, "ending"),
			Offline:         &personas.Offline{Patience: patience.Draw(t, "patience")},
		})
	}
	key := rapid.Map(rapid.IntRange(0, n-1), func(i int) string { return fmt.Sprint(i) })
	for range rapid.IntRange(0, 12).Draw(t, "transitions") {
		tr := newTransition(key.Draw(t, "from"), rapid.SampledFrom([]personas.Decision{pass, redirect, reject, kick}).Draw(t, "decision"),
			key.Draw(t, "to"), rapid.IntRange(-4, 4).Draw(t, "delta"), rapid.IntRange(-1, 1).Draw(t, "priority"))
		if tr.Decision != pass && rapid.Bool().Draw(t, "nowhere") {
			tr.To = ""
		}
		d.Transitions = append(d.Transitions, tr)
	}
	return d
}

// possibleVerdicts lists all verdicts for a running session.
func possibleVerdicts(m *Machine, s Session) []Verdict {
	all := []Verdict{None, FollowUp, Aside}
	for _, i := range m.Outgoing(s.State) {
		all = append(all, Fire(i))
	}
	return all
}

// TestStepIsTotalAndDeterministic: any step stays in the machine, repeats, and refuses only invalid verdicts.
func TestStepIsTotalAndDeterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := compileMachine(t, someMachine(t))
		s := Session{
			State: rapid.SampledFrom([]string{"0", "0", "1", "4", "x", ""}).Draw(t, "state"), Score: rapid.Int().Draw(t, "score"),
			Redirects: rapid.Int().Draw(t, "redirects"), FollowUpPending: rapid.Bool().Draw(t, "pending"), Asides: rapid.Int().Draw(t, "asides"),
			Outcome: rapid.SampledFrom([]personas.Outcome{"", "", "", personas.Accept, "NONSENSE"}).Draw(t, "outcome"),
		}
		v := Verdict(rapid.OneOf(rapid.IntRange(-4, 13), rapid.Int()).Draw(t, "verdict"))
		r, err := m.Step(s, v)
		again, errAgain := m.Step(s, v)
		assert.Must(t, r == again && err == errAgain, "two answers: %+v, %v and %+v, %v", r, err, again, errAgain)
		may := !s.IsFinished() && m.states[s.State] != nil && slices.Contains(possibleVerdicts(m, s), v)
		assert.Must(t, may == (err == nil), "verdict %d on %+v: %v", v, s, err)
		assert.Must(t, err == nil || r == (Result{Session: s, Transition: -1}), "a refusal did something: %+v", r)
		assert.Must(t, err != nil || m.states[r.Session.State] != nil, "the step led out of the machine: %+v", r)
	})
}

// TestWalksKeepInvariants: a walk over any machine preserves every invariant of a running session.
func TestWalksKeepInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := someMachine(t)
		m := compileMachine(t, d)
		s, asked := m.Start(), false
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			if missed, err := m.Step(s, None); err != nil || (missed.Decision == reject) != m.IsLastTry(s) {
				t.Fatalf("last try %t, but the next miss is a %s: %v", m.IsLastTry(s), missed.Decision, err)
			}
			r := assert.Value(m.Step(s, rapid.SampledFrom(possibleVerdicts(m, s)).Draw(t, "verdict")))(t)
			checkStep(t, d, s, r, asked)
			s, asked = r.Session, r.Session.FollowUpPending
			if s.IsFinished() {
				break
			}
		}
		_, err := m.Step(s, None)
		assert.Must(t, s.IsFinished() == errors.Is(err, ErrFinished), "a step on %+v: %v", s, err)
	})
}

func checkStep(t *rapid.T, d *personas.Machine, before Session, r Result, asked bool) {
	after := r.Session
	st := d.States[slices.IndexFunc(d.States, func(st personas.State) bool { return st.Key == after.State })]
	switch {
	case r.FollowUp && asked:
		t.Fatalf("two follow-ups in a row: %+v", r)
	case r.Aside && r.FollowUp, (r.FollowUp || r.Aside) != (r.Decision == ""):
		t.Fatalf("half a follow-up: %+v", r)
	case after.FollowUpPending != (r.FollowUp || r.Aside && before.FollowUpPending):
		t.Fatalf("a follow-up that is pending: %t, after %+v", after.FollowUpPending, before)
	case (r.FollowUp || r.Aside) && (after.State != before.State || after.Score != before.Score || after.Redirects != before.Redirects || after.IsFinished()):
		t.Fatalf("a follow-up moved %+v to %+v", before, after)
	case d.Mode() == pf && after.Score != 0:
		t.Fatalf("a score in pass_fail: %+v", after)
	case st.MaxRedirects != nil && after.Redirects > *st.MaxRedirects:
		t.Fatalf("%d redirects, at most %d allowed", after.Redirects, *st.MaxRedirects)
	case r.Decision == redirect && (after.State != before.State || after.Redirects != before.Redirects+1):
		t.Fatalf("a redirect from %+v to %+v", before, after)
	case r.Moved && after.Redirects != 0, !r.Moved && after.State != before.State:
		t.Fatalf("moved %t, from %+v to %+v", r.Moved, before, after)
	case !r.FollowUp && !r.Aside && !after.IsFinished() && (st.IsTerminal || d.Mode() == sc && after.Score <= d.FailBound()):
		t.Fatalf("not ended: %+v", after)
	case after.Outcome == personas.Accept && d.Mode() == sc && after.Score < d.Threshold():
		t.Fatalf("accepted below the threshold: %+v", after)
	}
}

// somePersona draws any persona with up to four machines and six links.
func somePersona(t *rapid.T) *personas.Persona {
	keys := []string{"a", "b", "c", "d"}[:rapid.IntRange(1, 4).Draw(t, "machines")]
	p := newDocument(nil, keys...)
	for i := range p.Machines {
		p.Machines[i].IsEntry = rapid.Bool().Draw(t, "entry")
	}
	key := rapid.SampledFrom(keys)
	for range rapid.IntRange(0, 6).Draw(t, "links") {
		p.Links = append(p.Links, personas.Link{
			Source: key.Draw(t, "source"), Target: key.Draw(t, "target"), Outcome: someOutcome.Draw(t, "outcome"),
			Condition: rapid.SampledFrom([]personas.Condition{personas.IfOutcome, personas.IfScoreGTE, personas.IfScoreLTE, personas.Always}).Draw(t, "condition"),
			Score:     rapid.IntRange(-3, 3).Draw(t, "score"), AutoAdvance: rapid.Bool().Draw(t, "auto"),
		})
	}
	return p
}

// TestUnlockedOnlyGrows: the available machines only grow, and each is reported once, except the primary.
func TestUnlockedOnlyGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := compilePersona(t, somePersona(t))
		var unlocked []string
		available := p.Available(nil)
		for range rapid.IntRange(1, 10).Draw(t, "completions") {
			source := rapid.SampledFrom(p.Keys()).Draw(t, "completed")
			news := p.Complete(unlocked, source, someOutcome.Draw(t, "outcome"), rapid.IntRange(-4, 4).Draw(t, "score"))
			for _, key := range news {
				assert.Must(t, !slices.Contains(available, key) && p.IsLinked(key), "%q was reported again: available %v", key, available)
			}
			unlocked = append(unlocked, news...)
			now := p.Available(unlocked)
			assert.Must(t, len(now) == len(available)+len(news), "available %v, with %v it is %v", available, news, now)
			for _, key := range append(news, available...) {
				assert.Must(t, slices.Contains(now, key), "%q is not available any more", key)
			}
			available = now
		}
	})
}

func TestStepAllocatesNothing(t *testing.T) {
	for name, b := range newBenches(t) {
		assert.Equal(t, testing.AllocsPerRun(100, func() { _, _ = b.m.Step(b.s, b.v) }), 0, "%s allocations", name)
	}
}

type bench struct {
	m *Machine
	s Session
	v Verdict
}

// newBenches returns steps of a machine with 20 states and 8 rows in each.
func newBenches(t assert.TB) map[string]bench {
	d := &personas.Machine{Key: "m"}
	for i := range 20 {
		key := fmt.Sprintf("a_state_with_a_long_key_%02d", i)
		d.States = append(d.States, personas.State{Key: key, IsInitial: i == 0, IsTerminal: i == 19, MaxRedirects: new(2)})
		for j := range 8 {
			d.Transitions = append(d.Transitions, newTransition(key, []personas.Decision{redirect, reject, kick, pass}[j%4], key, 0, -j))
		}
	}
	m := compileMachine(t, d)
	s := Session{State: d.States[10].Key}
	full := Session{State: s.State, Redirects: 2}
	done := Session{State: s.State, Outcome: personas.Accept}
	return map[string]bench{
		"pass-tried-last": {m, s, Fire(83)}, "kick-out": {m, s, Fire(82)}, "none": {m, s, None}, "redirect-at-limit": {m, full, None},
		"follow-up": {m, s, FollowUp}, "refused": {m, s, Fire(0)}, "finished": {m, done, None},
	}
}
