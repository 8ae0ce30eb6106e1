package engine

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
)

// patientMachine returns a machine that has a state with patience 2 and two redirects.
func patientMachine(t *testing.T) *Machine {
	d := limitRedirects(newMachine(sc, newTransition("a", pass, "b", 1, 0), newTransition("a", redirect, "", -1, 0), newTransition("a", reject, "b", 0, 0)), 1)
	d.States[0].Offline = &personas.Offline{Patience: pointerTo(2)}
	return compileMachine(t, d)
}

func TestAsides(t *testing.T) {
	cases := []struct {
		name     string
		verdicts []Verdict
		want     Session
		aside    bool
		decision personas.Decision
	}{
		{"one moves nothing and counts nothing", []Verdict{Aside}, Session{State: "a", Asides: 1}, true, ""},
		{"as many as the patience", []Verdict{Aside, Aside}, Session{State: "a", Asides: 2}, true, ""},
		{"one more is a redirect, with its delta", []Verdict{Aside, Aside, Aside}, Session{State: "a", Score: -1, Redirects: 1, Asides: 3}, false, redirect},
		{"so is the next, which is a redirect too many", []Verdict{Aside, Aside, Aside, Aside}, Session{State: "b", Score: -1}, false, reject},
		{"anything else begins anew", []Verdict{Aside, Aside, None, Aside}, Session{State: "a", Score: -1, Redirects: 1, Asides: 1}, true, ""},
		{"a follow-up too", []Verdict{Aside, Aside, FollowUp, Aside}, Session{State: "a", FollowUpPending: true, Asides: 1}, true, ""},
		{"a follow-up stays pending through asides", []Verdict{FollowUp, Aside, FollowUp}, Session{State: "a", Score: -1, Redirects: 1}, false, redirect},
		{"a state without patience has no bound", []Verdict{Fire(0), Aside, Aside, Aside, Aside}, Session{State: "b", Score: 1, Asides: 4}, true, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			m := patientMachine(t)
			r := Result{Session: m.Start()}
			for _, v := range c.verdicts {
				r = assert.Value(m.Step(r.Session, v))(t)
			}
			if r.Session != c.want || r.Aside != c.aside || r.Decision != c.decision || r.FollowUp {
				t.Errorf("got %+v, want %+v, aside %t, decision %q", r, c.want, c.aside, c.decision)
			}
		})
	}
}

// TestAnAsideIsNoEnd: an aside in a terminal state does not end the machine, because it is not a move.
func TestAnAsideIsNoEnd(t *testing.T) {
	d := newMachine(sc)
	d.States[0].IsTerminal = true
	m := compileMachine(t, d)
	r, err := m.Step(m.Start(), Aside)
	assert.True(t, err == nil && !r.IsCompleted() && r.Aside, "%+v, %v", r, err)
	finished := Session{State: "a", Outcome: personas.Accept}
	r, err = m.Step(finished, Aside)
	assert.True(t, err != nil && r.Session == finished, "a finished machine took an aside: %+v", r)
}

// TestAsidesChangeNothing: asides change nothing while the patience lasts, and then count as redirects.
func TestAsidesChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := someMachine(t)
		m := compileMachine(t, d)
		with, without, inRow := m.Start(), m.Start(), 0
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			v := rapid.SampledFrom(append(possibleVerdicts(m, without), Aside, Aside)).Draw(t, "verdict")
			isFree := v == Aside && (m.states[with.State].patience < 0 || inRow < m.states[with.State].patience)
			got := assert.Value(m.Step(with, v))(t)
			want := Result{Session: without, Transition: -1, Aside: true}
			if inRow++; !isFree {
				want = stepWithoutAside(t, m, without, v)
			}
			if v != Aside || got.Session.State != with.State || got.Moved {
				inRow = 0
			}
			with, without = got.Session, want.Session
			got.Session.Asides = 0
			if got != want {
				t.Fatalf("verdict %d: got %+v, want %+v", v, got, want)
			}
			if with.IsFinished() {
				return
			}
		}
	})
}

// stepWithoutAside takes a step with None instead of an aside.
func stepWithoutAside(t *rapid.T, m *Machine, s Session, v Verdict) Result {
	if v == Aside {
		v = None
	}
	r := assert.Value(m.Step(s, v))(t)
	return r
}
