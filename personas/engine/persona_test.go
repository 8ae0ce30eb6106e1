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

// newDocument has one machine per key; a key that ends in "!" is an entry machine.
func newDocument(links []personas.Link, keys ...string) *personas.Persona {
	p := &personas.Persona{Name: "p", Links: links}
	for _, key := range keys {
		d := *newMachine(sc)
		d.Key = key
		if n := len(key) - 1; key[n] == '!' {
			d.Key, d.IsEntry = key[:n], true
		}
		p.Machines = append(p.Machines, d)
	}
	return p
}

func newLink(from, to string, c personas.Condition) personas.Link {
	return personas.Link{Source: from, Target: to, Condition: c}
}

func onOutcome(from, to string, o personas.Outcome) personas.Link {
	return personas.Link{Source: from, Target: to, Condition: personas.IfOutcome, Outcome: o}
}

func onScore(from, to string, c personas.Condition, n int) personas.Link {
	return personas.Link{Source: from, Target: to, Condition: c, Score: n}
}

func compilePersona(t assert.TB, d *personas.Persona) *Persona {
	t.Helper()
	return assert.Value(CompilePersona(d))(t)
}

func TestPrimary(t *testing.T) {
	ab, ba := newLink("a", "b", personas.Always), newLink("b", "a", personas.Always)
	for name, c := range map[string]struct {
		doc  *personas.Persona
		want string
	}{
		"the only one":                            {newDocument(nil, "a"), "a"},
		"the first entry machine":                 {newDocument(nil, "a", "b!", "c!"), "b"},
		"an entry machine even with a link to it": {newDocument([]personas.Link{ab}, "a", "b!"), "b"},
		"else the first without incoming links":   {newDocument([]personas.Link{newLink("c", "a", personas.Always)}, "a", "b", "c"), "b"},
		"else the first":                          {newDocument([]personas.Link{ab, ba}, "b", "a"), "b"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, compilePersona(t, c.doc).Primary(), c.want, name) })
	}
}

func TestOpens(t *testing.T) {
	for _, c := range []struct {
		link    personas.Link
		outcome personas.Outcome
		score   int
		want    bool
	}{
		{onOutcome("a", "b", personas.Accept), personas.Accept, -9, true},
		{onOutcome("a", "b", personas.Accept), personas.Reject, 9, false},
		{onOutcome("a", "b", personas.Reject), personas.Reject, 0, true},
		{onOutcome("a", "b", personas.KickOut), personas.KickOut, 0, true},
		{onOutcome("a", "b", personas.KickOut), personas.Reject, 0, false},
		{onOutcome("a", "b", personas.NoOutcome), personas.NoOutcome, 0, false},
		{onScore("a", "b", personas.IfScoreGTE, 4), personas.Reject, 4, true},
		{onScore("a", "b", personas.IfScoreGTE, 4), personas.Accept, 3, false},
		{onScore("a", "b", personas.IfScoreLTE, -1), personas.Accept, -1, true},
		{onScore("a", "b", personas.IfScoreLTE, -1), personas.KickOut, 0, false},
		{newLink("a", "b", personas.Always), personas.KickOut, -9, true},
		{newLink("a", "b", personas.Always), personas.NoOutcome, 9, false},
		{newLink("a", "b", "someday"), personas.Accept, 9, false},
	} {
		t.Run(fmt.Sprintf("%s %s %d, %s %d", c.link.Condition, c.link.Outcome, c.link.Score, c.outcome, c.score), func(t *testing.T) {
			assert.Equal(t, Opens(&c.link, c.outcome, c.score), c.want, "Opens(%+v, %q, %d)", c.link, c.outcome, c.score)
		})
	}
}

func TestAvailable(t *testing.T) {
	d := newDocument([]personas.Link{onOutcome("a", "b", personas.Accept), newLink("b", "c", personas.Always), newLink("a", "d", personas.Always)}, "d", "c", "b", "a", "e!", "f!")
	d.Links = append(d.Links, newLink("a", "f", personas.Always))
	p := compilePersona(t, d)
	for _, c := range []struct{ unlocked, want []string }{
		{nil, []string{"a", "e", "f"}},
		{[]string{"b"}, []string{"b", "a", "e", "f"}},
		{[]string{"c", "d", "c", "gone"}, []string{"d", "c", "a", "e", "f"}},
	} {
		t.Run(fmt.Sprint("unlocked ", c.unlocked), func(t *testing.T) {
			got := p.Available(c.unlocked)
			assert.EqualSlices(t, got, c.want, "Available(%v)", c.unlocked)
			for _, key := range append(p.Keys(), "gone") {
				assert.Equal(t, p.IsAvailable(key, c.unlocked), slices.Contains(got, key), "IsAvailable(%q, %v) says otherwise", key, c.unlocked)
			}
		})
	}
	for key, want := range map[string]bool{"a": false, "b": true, "c": true, "d": true, "e": false, "f": true, "gone": false} {
		t.Run(key, func(t *testing.T) { assert.Equal(t, p.IsLinked(key), want, "IsLinked(%q)", key) })
	}
	assert.True(t, p.HasLinks() && !compilePersona(t, newDocument(nil, "a")).HasLinks(), "HasLinks is wrong")
	assert.True(t, p.Machine("a") != nil && p.Machine("gone") == nil, "Machine does not find exactly the existing machines")
}

func TestComplete(t *testing.T) {
	p := compilePersona(t, newDocument([]personas.Link{
		onOutcome("a", "b", personas.Accept), onScore("a", "b", personas.IfScoreGTE, 5), // either is enough
		onScore("a", "c", personas.IfScoreLTE, -2), newLink("a", "d", personas.Always), newLink("a", "e", personas.Always),
		newLink("b", "c", personas.Always), newLink("a", "a", personas.Always), // a machine may lead to itself
	}, "d", "c", "b", "a!", "e!", "free"))
	for name, c := range map[string]struct {
		unlocked []string
		source   string
		outcome  personas.Outcome
		score    int
		want     []string
	}{
		"several, in document order":         {nil, "a", personas.Accept, 0, []string{"d", "b"}},
		"one of two links is enough":         {nil, "a", personas.Reject, 5, []string{"d", "b"}},
		"both of two links count once":       {nil, "a", personas.Accept, 5, []string{"d", "b"}},
		"neither of two links":               {nil, "a", personas.Reject, 4, []string{"d"}},
		"low score exactly":                  {nil, "a", personas.Reject, -2, []string{"d", "c"}},
		"low score missed by one":            {nil, "a", personas.Reject, -1, []string{"d"}},
		"what was unlocked is not new":       {[]string{"d", "c"}, "a", personas.Reject, -2, nil},
		"links of another machine":           {[]string{"b"}, "b", personas.KickOut, 0, []string{"c"}},
		"not ended":                          {nil, "a", personas.NoOutcome, 9, nil},
		"an unknown machine opens nothing":   {nil, "gone", personas.Accept, 9, nil},
		"entry and link-free are never news": {[]string{"b", "c", "d"}, "a", personas.Accept, 9, nil},
	} {
		t.Run(name, func(t *testing.T) {
			assert.EqualSlices(t, p.Complete(c.unlocked, c.source, c.outcome, c.score), c.want, name)
		})
	}
}

// A replay that would no longer satisfy the link does not lock the machine again.
func TestReplayKeepsWhatIsUnlocked(t *testing.T) {
	p := compilePersona(t, newDocument([]personas.Link{onOutcome("a", "b", personas.Accept), onOutcome("a", "c", personas.Reject)}, "a", "b", "c"))
	unlocked := p.Complete(nil, "a", personas.Accept, 3)
	again := p.Complete(unlocked, "a", personas.Reject, 0)
	assert.EqualSlices(t, again, []string{"c"}, "the replay unlocked")
	assert.EqualSlices(t, p.Available(append(unlocked, again...)), []string{"a", "b", "c"}, "available after the replay")
}

func TestAutoAdvance(t *testing.T) {
	quiet, loud := onOutcome("a", "b", personas.Accept), onScore("a", "b", personas.IfScoreGTE, 5)
	loud.AutoAdvance = true
	p := compilePersona(t, newDocument([]personas.Link{quiet, loud}, "a", "b", "c"))
	for _, c := range []struct {
		source, target string
		outcome        personas.Outcome
		score          int
		want           bool
	}{
		{"a", "b", personas.Accept, 4, false}, {"a", "b", personas.Accept, 5, true}, {"a", "b", personas.Reject, 5, true},
		{"a", "c", personas.Accept, 5, false}, {"b", "a", personas.Accept, 5, false}, {"a", "b", personas.NoOutcome, 5, false},
	} {
		t.Run(fmt.Sprintf("%s to %s, %s %d", c.source, c.target, c.outcome, c.score), func(t *testing.T) {
			assert.Equal(t, p.AutoAdvance(c.source, c.target, c.outcome, c.score), c.want, "AutoAdvance(%q, %q, %q, %d)", c.source, c.target, c.outcome, c.score)
		})
	}
}

func TestSums(t *testing.T) {
	played := []Session{{Score: 5, Outcome: personas.Accept}, {Score: -3, Outcome: personas.Reject}, {Score: 1, Outcome: personas.KickOut}, {Score: 2}}
	if got := Relationship(played); got != 3 { // 6 - 4 - 1 + 2
		t.Errorf("relationship %d, want 3", got)
	}
	assert.Equal(t, TotalScore([]int{5, -3, 1}), 3, "total score")
	assert.Equal(t, Relationship(nil), 0, "nothing played must sum to 0")
	assert.Equal(t, TotalScore(nil), 0, "nothing played must sum to 0")
}

func TestCompilePersonaRefuses(t *testing.T) {
	for name, spoil := range map[string]func(p *personas.Persona){
		"no machines":             func(p *personas.Persona) { p.Machines = nil },
		"machine without a key":   func(p *personas.Persona) { p.Machines[0].Key = "" },
		"two machines of one key": func(p *personas.Persona) { p.Machines[1].Key = "a" },
		"broken machine":          func(p *personas.Persona) { p.Machines[1].States = nil },
		"link from nowhere":       func(p *personas.Persona) { p.Links[0].Source = "x" },
		"link to nowhere":         func(p *personas.Persona) { p.Links[0].Target = "x" },
		"unknown condition":       func(p *personas.Persona) { p.Links[0].Condition = "someday" },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDocument([]personas.Link{newLink("a", "b", personas.Always)}, "a", "b")
			spoil(d)
			p, err := CompilePersona(d)
			assert.True(t, errors.Is(err, ErrDocument) && p == nil, "%s: got %v, %v; want ErrDocument", name, p, err)
		})
	}
}

func TestCompiledPersonaIgnoresLaterChanges(t *testing.T) {
	d := newDocument([]personas.Link{newLink("a", "b", personas.Always)}, "a", "b")
	p := compilePersona(t, d)
	d.Links[0].Target, d.Machines[0].States[0].Key = "a", "z"
	p.Keys()[0] = "z"
	assert.EqualSlices(t, p.Complete(nil, "a", personas.Accept, 0), []string{"b"}, "completion")
	assert.True(t, p.Machine("a").Start().State == "a" && p.Keys()[0] == "a", "the compiled persona changed with the document")
}

func patientMachine(t *testing.T) *Machine {
	d := limitRedirects(newMachine(sc, newTransition("a", pass, "b", 1, 0), newTransition("a", redirect, "", -1, 0), newTransition("a", reject, "b", 0, 0)), 1)
	d.States[0].Offline = &personas.Offline{Patience: new(2)}
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
			assert.Equal(t, r.Session, c.want)
			assert.Equal(t, r.Aside, c.aside)
			assert.Equal(t, r.Decision, c.decision)
			assert.Equal(t, r.FollowUp, false)
		})
	}
}

// TestAsideDoesNotEndTerminalState: an aside in a terminal state does not end the machine, because it is not a move.
func TestAsideDoesNotEndTerminalState(t *testing.T) {
	d := newMachine(sc)
	d.States[0].IsTerminal = true
	m := compileMachine(t, d)
	r, err := m.Step(m.Start(), Aside)
	assert.NoError(t, err)
	assert.True(t, !r.IsCompleted(), "%+v, %v", r, err)
	assert.True(t, r.Aside, "%+v, %v", r, err)
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
			assert.Must(t, got == want, "verdict %d: got %+v, want %+v", v, got, want)
			if with.IsFinished() {
				return
			}
		}
	})
}

func stepWithoutAside(t *rapid.T, m *Machine, s Session, v Verdict) Result {
	if v == Aside {
		v = None
	}
	return assert.Value(m.Step(s, v))(t)
}
