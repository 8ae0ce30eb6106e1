package prove_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/examples"
	"github.com/parley-npc/parley/personas/personatest"
	"github.com/parley-npc/parley/personas/prove"
)

const (
	pass     = personas.DecidePass
	redirect = personas.DecideRedirect
	reject   = personas.DecideReject
	kick     = personas.DecideKickOut
	wide     = personas.MaxInteger
)

// noKick is the reason why a machine without a kick_out transition cannot end with KICK_OUT.
const noKick = "there is no kick_out transition"

// newMachine returns a machine with the states "0" to n-1, of which the last is terminal. The
// pass_threshold is 3 and the early_fail_bound is -3, as in every document without these numbers.
func newMachine(n int, rows ...personas.Transition) *personas.Machine {
	m := &personas.Machine{Key: "m", Transitions: rows}
	for i := range n {
		m.States = append(m.States, personas.State{Key: fmt.Sprint(i), IsInitial: i == 0, IsTerminal: i == n-1})
	}
	return m
}

func limitRedirects(m *personas.Machine, state, n int) *personas.Machine {
	m.States[state].MaxRedirects = new(n)
	return m
}

func setNumbers(m *personas.Machine, threshold, bound int) *personas.Machine {
	m.PassThreshold, m.EarlyFailBound = new(threshold), new(bound)
	return m
}

func passFail(m *personas.Machine) *personas.Machine {
	m.ScoringMode = personas.PassFail
	return m
}

func provePersona(t *testing.T, p *personas.Persona) *prove.Report {
	t.Helper()
	r := assert.Value(prove.Persona(p))(t)
	run := assert.Value(engine.CompilePersona(p))(t)
	checkReplays(t, p, run, r)
	return r
}

func proveMachine(t *testing.T, m *personas.Machine) *prove.Report {
	t.Helper()
	return provePersona(t, &personas.Persona{Machines: []personas.Machine{*m}})
}

func TestOutcomes(t *testing.T) {
	const (
		noTerminal = `no terminal state can be reached: "1"`
		neverLow   = "the least score in a terminal state is 3, not below the pass_threshold of 3, and no score falls to the early_fail_bound of -3"
	)
	loop, two, out := row(0, pass, 0, 1), row(0, pass, 0, 2), row(0, pass, 1, 0)
	rejecting := passFail(newMachine(2, out))
	rejecting.States[1].TerminalOutcome = personas.Reject
	for name, c := range map[string]struct {
		doc            *personas.Machine
		accept, reject string // the scores and the length of the witness, or the reason
		kick           string // noKick if empty
	}{
		"the threshold is met exactly": {newMachine(2, row(0, pass, 1, 3)), "3..3 in 1", neverLow, ""},
		"the threshold is missed by one": {newMachine(2, row(0, pass, 1, 2)),
			"the greatest score in a terminal state is 2, below the pass_threshold of 3", "2..2 in 1", ""},
		"a cycle can be pumped":       {newMachine(2, loop, out, row(0, kick, -1, -5)), "3..inf in 4", "0..2 in 1", "-5..inf in 1"},
		"only even scores":            {setNumbers(newMachine(2, two, out), 5, -3), "6..inf in 4", "0..4 in 1", ""},
		"twos and threes, but no one": {setNumbers(newMachine(2, two, row(0, pass, 0, 3), out), 1, -3), "2..inf in 2", "0..0 in 1", ""},
		"a limit ends pumping":        {limitRedirects(newMachine(2, row(0, redirect, -1, 1), out, row(0, reject, 1, -1)), 0, 4), "3..4 in 4", "-1..2 in 1", ""},
		"the bound cuts the lowest way": {newMachine(3, row(0, redirect, -1, -2), out, row(1, kick, -1, 0), row(1, pass, 2, 9)),
			"7..9 in 2", "-4..-4 in 2", "-2..0 in 2"},
		"the bound is met exactly": {newMachine(2, row(0, redirect, -1, -3)), noTerminal, "-3..-3 in 1", ""},
		"a kick_out beyond the bound is a kick_out": {newMachine(2, row(0, kick, -1, -9)), noTerminal,
			noTerminal + ", and no score falls to the early_fail_bound of -3", "-9..-9 in 1"},
		"the bound before any terminal state": {newMachine(2, row(0, pass, 1, -7)),
			"the early_fail_bound of -3 ends the machine before any terminal state", "-7..-7 in 1", ""},
		"a bound of 0 does not end what begins": {setNumbers(newMachine(2, row(0, pass, 1, 1)), 1, 0), "1..1 in 1", "0..0 in 1", ""},
		"down again from high above": {setNumbers(newMachine(3, row(0, pass, 0, 7), out, row(1, pass, 1, -5), row(1, pass, 2, 0)), 1, -1),
			"1..inf in 3", "-5..0 in 2", ""},
		"numbers of two blocks at the bound": {setNumbers(newMachine(2, two, row(0, pass, 0, 5), row(0, pass, 0, -6), out), 3, -4), "3..inf in 2", "-9..2 in 1", ""},
		"great numbers, small unit": {setNumbers(newMachine(2, row(0, pass, 0, wide), row(0, redirect, -1, -wide/2), out), wide/4, -wide),
			"500000000..inf in 2", "-1000000000..0 in 1", ""},
		"great numbers, many residues": {setNumbers(newMachine(2, row(0, pass, 0, wide), row(0, redirect, -1, -wide+1), out), 7, -1),
			"7..inf in 2", "-999999999..6 in 1", ""},
		"pass_fail": {passFail(newMachine(2, row(0, pass, 1, 9), row(0, reject, -1, -9), row(0, kick, -1, -9))), "0..0 in 1", "0..0 in 1", "0..0 in 1"},
		"pass_fail without a reject": {passFail(newMachine(2, out)), "0..0 in 1",
			"there is no reject transition, and no terminal state that can be reached means REJECT", ""},
		"pass_fail with REJECT terminals":      {rejecting, "no terminal state that can be reached means ACCEPT", "0..0 in 1", ""},
		"pass_fail redirects beyond the limit": {limitRedirects(passFail(newMachine(2, out)), 0, 3), "0..0 in 1", "0..0 in 4", ""},
		"a limit of a hundred thousand":        {limitRedirects(passFail(newMachine(2, out)), 0, 100_000), "0..0 in 1", "0..0 in 100001", ""},
		"terminal at once":                     {newMachine(1), "the greatest score in a terminal state is 0, below the pass_threshold of 3", "0..0 in 1", ""},
		"a kick_out out of reach": {newMachine(3, row(0, pass, 2, 3), row(1, kick, -1, 0)), "3..3 in 1", neverLow,
			`the second transition (a kick_out from "1") cannot fire: "1" cannot be reached`},
	} {
		t.Run(name, func(t *testing.T) {
			m := &proveMachine(t, c.doc).Machines[0]
			for o, want := range map[personas.Outcome]string{
				personas.Accept: c.accept, personas.Reject: c.reject, personas.KickOut: cmp.Or(c.kick, noKick)} {
				t.Run(fmt.Sprint(o), func(t *testing.T) {
					end := m.OutcomeOf(o)
					got := end.Reason
					if end.Reachable {
						got = fmt.Sprintf("%s..%s in %d", end.Min, end.Max, end.Witness.Len())
					}
					assert.Equal(t, got, want, o)
				})
			}
		})
	}
}

// formatSteps formats the length of a witness, or returns "-" and keeps the reason why it is impossible.
func formatSteps(possible bool, w *prove.Way, reason string, reasons *[]string) string {
	if possible {
		return fmt.Sprint(w.Len())
	}
	*reasons = append(*reasons, reason)
	return "-"
}

func TestReach(t *testing.T) {
	const (
		ends = `"2" ends the machine when it is entered`
		low  = `"1" is only entered with a score at or below the early_fail_bound of -3`
	)
	for name, c := range map[string]struct {
		doc  *personas.Machine
		want string // the steps to the states, the steps to the transitions, and the reasons
	}{
		"a line":              {newMachine(3, row(0, pass, 1, 0), row(1, pass, 2, 0)), "0 1 2|1 2"},
		"nothing leads there": {newMachine(2), "0 -||no transition leads to it"},
		"only a redirect leads there": {newMachine(2, row(0, redirect, 1, 0)), "0 -|1|no pass or reject leads to it; " +
			`the first transition (a redirect from "0" to "1") is a redirect, which does not change the state`},
		"a reject without a target goes where the pass goes": {newMachine(2, row(0, pass, 1, 0), row(0, reject, -1, 0)), "0 1|1 1"},
		"a limit of 0": {limitRedirects(newMachine(2, row(0, redirect, -1, 0), row(0, pass, 1, 0)), 0, 0),
			`0 1|- 1|max_redirects of "0" is 0, which makes every redirect a reject`},
		"a limit of 1": {limitRedirects(newMachine(2, row(0, redirect, -1, 0), row(0, pass, 1, 0)), 0, 1), "0 1|1 1"},
		"behind a terminal state": {newMachine(3, row(0, pass, 2, 0), row(2, pass, 1, 0)),
			`0 - 1|1 -|only the second transition (a pass from "2" to "1") leads to it, and ` + ends + "|" + ends},
		"behind the bound": {newMachine(3, row(0, pass, 1, -3), row(1, pass, 2, 9)),
			`0 1 -|1 -|only the second transition (a pass from "1" to "2") leads to it, and ` + low + "|" + low},
		"one point above the bound": {newMachine(3, row(0, pass, 1, -2), row(1, pass, 2, 9)), "0 1 2|1 2"},
		"a detour for points":       {newMachine(4, row(0, pass, 1, -3), row(0, pass, 2, 1), row(2, pass, 0, 0), row(1, pass, 3, 0)), "0 1 1 4|1 1 2 4"},
		"two islands": {newMachine(4, row(0, pass, 3, 0), row(1, pass, 2, 0), row(2, pass, 1, 0)), "0 - - 1|1 - -" +
			`|only the third transition (a pass from "2" to "1") leads to it, and "2" cannot be reached` +
			`|only the second transition (a pass from "1" to "2") leads to it, and "1" cannot be reached` +
			`|"1" cannot be reached|"2" cannot be reached`},
	} {
		t.Run(name, func(t *testing.T) {
			m := proveMachine(t, c.doc).Machines[0]
			var states, rows, reasons []string
			for _, s := range m.States {
				states = append(states, formatSteps(s.Reachable, s.Witness, s.Reason, &reasons))
			}
			for _, tr := range m.Transitions {
				rows = append(rows, formatSteps(tr.Fires, tr.Witness, tr.Reason, &reasons))
			}
			got := append([]string{strings.Join(states, " "), strings.Join(rows, " ")}, reasons...)
			assert.Equal(t, strings.Join(got, "|"), c.want)
		})
	}
}

func TestStuck(t *testing.T) {
	// fork returns a machine with a way into state 1 and a way to the end.
	fork := func(rows ...personas.Transition) *personas.Machine {
		return newMachine(3, append([]personas.Transition{row(0, pass, 1, 0), row(0, pass, 2, 0)}, rows...)...)
	}
	for name, c := range map[string]struct {
		doc  *personas.Machine
		want string
	}{
		"a way out":                            {newMachine(2, row(0, pass, 1, 0)), ""},
		"no way out":                           {fork(), "1 in 1"},
		"points run out":                       {fork(row(1, redirect, -1, -1)), ""},
		"the limit stops them":                 {limitRedirects(fork(row(1, redirect, -1, -1)), 1, 2), "1 in 1"},
		"the limit stops them too late":        {limitRedirects(fork(row(1, redirect, -1, -1)), 1, 3), ""},
		"a dear and a free redirect":           {limitRedirects(fork(row(1, redirect, -1, -1), row(1, redirect, -1, 0)), 1, 3), "1 in 2"},
		"only with many points":                {fork(row(0, pass, 0, 1), row(1, pass, 2, 0)), ""},
		"a trap that only rich ones feel":      {newMachine(5, row(0, pass, 0, 2), row(0, pass, 1, 0), row(0, pass, 4, 0), row(1, pass, 2, -4)), "1 in 2|2 in 3"},
		"pass_fail":                            {passFail(fork()), "1 in 1"},
		"pass_fail: a limit is a way out":      {limitRedirects(passFail(fork()), 1, 2), ""},
		"a kick_out at the limit is a way out": {limitRedirects(fork(row(1, kick, -1, 0)), 1, 2), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, s := range proveMachine(t, c.doc).Stuck {
				got = append(got, fmt.Sprintf("%s in %d", s.State, s.Witness.Len()))
			}
			assert.Equal(t, strings.Join(got, "|"), c.want, "got %v", got)
		})
	}
}

// linkedPersona returns a persona with a machine "a" that ends with 0 or 3, and others like it behind links.
func linkedPersona(keys string, links ...personas.Link) *personas.Persona {
	p := &personas.Persona{Links: links}
	for _, key := range strings.Fields(keys) {
		m := *newMachine(2, row(0, pass, 1, 3), row(0, reject, 1, 0))
		m.Key = key
		p.Machines = append(p.Machines, m)
	}
	return p
}

func newLink(from, to string, c personas.Condition, o personas.Outcome, score int) personas.Link {
	return personas.Link{Source: from, Target: to, Condition: c, Outcome: o, Score: score}
}

func TestLinks(t *testing.T) {
	on := func(from, to string, o personas.Outcome) personas.Link {
		return newLink(from, to, personas.IfOutcome, o, 0)
	}
	from := func(from, to string, n int) personas.Link { return newLink(from, to, personas.IfScoreGTE, "", n) }
	upTo := func(from, to string, n int) personas.Link { return newLink(from, to, personas.IfScoreLTE, "", n) }
	const (
		kickless = `machine "a" cannot end with KICK_OUT: ` + noKick
		closed   = `the machine is not an entry machine, and no link to it can open: the first link (from "a")`
		closedB  = `the machine is not an entry machine, and no link to it can open: the second link (from "b")`
	)
	for name, c := range map[string]struct {
		doc   *personas.Persona
		want  string // the steps to the machines, the steps to the links, and the reasons
		stuck string
	}{
		"by outcome":      {linkedPersona("a b", on("a", "b", personas.Reject)), "0 1|1", ""},
		"by no outcome":   {linkedPersona("a b", on("a", "b", personas.KickOut)), "0 -|-|" + closed + "|" + kickless, "a"},
		"from a score on": {linkedPersona("a b", from("a", "b", 3)), "0 1|1", ""},
		"one more":        {linkedPersona("a b", from("a", "b", 4)), "0 -|-|" + closed + `|the greatest score with which machine "a" ends is 3, below 4`, "a"},
		"up to a score":   {linkedPersona("a b", upTo("a", "b", 0)), "0 1|1", ""},
		"one less":        {linkedPersona("a b", upTo("a", "b", -1)), "0 -|-|" + closed + `|the least score with which machine "a" ends is 0, above -1`, "a"},
		"a chain":         {linkedPersona("a b c", on("a", "b", personas.Accept), from("b", "c", 1)), "0 1 2|1 2", ""},
		"the shorter way": {linkedPersona("a b c",
			on("a", "b", personas.Accept), on("b", "c", personas.Accept), on("a", "c", personas.Reject)), "0 1 1|1 2 1", ""},
		"a circle": {linkedPersona("a b", on("a", "b", personas.Accept), on("b", "a", personas.Accept)), "- -|- -|" +
			closedB + "|" + closed + `|machine "a" can never be started|machine "b" can never be started`, ""},
		"one closed ending": {linkedPersona("a b c", on("a", "b", personas.KickOut), on("a", "c", personas.Accept)), "0 - 1|- 1|" + closed + "|" + kickless, ""},
		"to itself":         {linkedPersona("a b", on("a", "a", personas.KickOut)), "- 0|-|" + closed + "|" + kickless, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := provePersona(t, c.doc)
			var machines, links, reasons, stuck []string
			for _, m := range r.Machines {
				machines = append(machines, formatSteps(m.Available, m.Witness, m.Reason, &reasons))
			}
			for _, l := range r.Links {
				links = append(links, formatSteps(l.CanOpen, l.Witness, l.Reason, &reasons))
			}
			for _, s := range r.Stuck {
				stuck = append(stuck, s.Machine+s.State)
			}
			got := append([]string{strings.Join(machines, " "), strings.Join(links, " ")}, reasons...)
			assert.Equal(t, strings.Join(got, "|"), c.want, "stuck %v", stuck)
			assert.Equal(t, strings.Join(stuck, "|"), c.stuck, "stuck %v", stuck)
		})
	}
}

// An entry machine does not need a link, even if links lead to it.
func TestAnEntryMachineIsAvailable(t *testing.T) {
	p := linkedPersona("a b", newLink("b", "a", personas.Always, "", 0), newLink("a", "b", personas.Always, "", 0))
	p.Machines[1].IsEntry = true
	r := provePersona(t, p)
	assert.Equal(t, fmt.Sprint(r.Machines[0].Witness.Len(), r.Machines[1].Witness.Len(), r.Holds()), "1 0 true", "turns before, and whether it holds")
}

func TestHolds(t *testing.T) {
	sound := func() *personas.Persona { return linkedPersona("a b", newLink("a", "b", personas.Always, "", 0)) }
	for name, c := range map[string]struct {
		spoil func(p *personas.Persona)
		want  bool
	}{
		"as it is":             {func(*personas.Persona) {}, true},
		"no way to ACCEPT":     {func(p *personas.Persona) { p.Machines[0].PassThreshold = new(4) }, false},
		"no way to REJECT":     {func(p *personas.Persona) { p.Machines[0].PassThreshold = new(0) }, false},
		"nothing to REJECT by": {func(p *personas.Persona) { p.Machines[0].Transitions = p.Machines[0].Transitions[:1] }, true},
		"a state for itself": {func(p *personas.Persona) {
			p.Machines[0].States = append(p.Machines[0].States, personas.State{Key: "x"})
		}, false},
		"a dead row": {func(p *personas.Persona) {
			p.Machines[0].Transitions = append(p.Machines[0].Transitions, row(1, redirect, -1, 0))
		}, false},
		"a link too high":  {func(p *personas.Persona) { p.Links = append(p.Links, newLink("a", "b", personas.IfScoreGTE, "", 4)) }, false},
		"a locked machine": {func(p *personas.Persona) { p.Links[0].Source = "b" }, false},
		"a trap": {func(p *personas.Persona) {
			p.Machines[0].States = append(p.Machines[0].States, personas.State{Key: "x"})
			p.Machines[0].Transitions = append(p.Machines[0].Transitions, personas.Transition{From: "0", To: "x", Decision: pass})
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := sound()
			c.spoil(p)
			assert.Equal(t, provePersona(t, p).Holds(), c.want, "%s: holds", name)
		})
	}
}

func TestJSON(t *testing.T) {
	p := linkedPersona("a b", newLink("a", "b", personas.IfScoreGTE, "", 9))
	p.Machines[0].Transitions = append(p.Machines[0].Transitions, row(0, pass, 0, 1))
	p.Machines[1].States[0].MaxRedirects, p.Machines[1].Transitions = new(1), nil
	text := assert.Value(json.Marshal(provePersona(t, p)))(t)
	for _, want := range []string{
		`{"machines":[{"machine_key":"a","states":[{"state_key":"0","reachable":true,"witness":[]},{"state_key":"1","reachable":true,"witness":[{"machine_key":"a","verdict":0}]}]`,
		`"transitions":[{"index":0,"fires":true,"witness":[{"machine_key":"a","verdict":0}]}`,
		`{"outcome":"ACCEPT","reachable":true,"min_score":3,"max_score":"inf","witness":[{"machine_key":"a","verdict":0}]}`,
		`{"outcome":"KICK_OUT","reachable":false,"min_score":null,"max_score":null,"witness":null,"reason":"there is no kick_out transition"}],"available":true,"witness":[]}`,
		`{"state_key":"1","reachable":false,"witness":null,"reason":"no transition leads to it"}],"transitions":[]`,
		`"links":[{"index":0,"can_open":true,"witness":[{"machine_key":"a","verdict":2},`,
		`"stuck":[{"machine_key":"b","state_key":"0","reason":"nothing from here`,
	} {
		assert.Contains(t, string(text), want)
	}
	got, _ := json.Marshal([]any{prove.NegInf, prove.Score(-2), prove.Step{Machine: "a", Verdict: engine.None}, prove.Step{Verdict: engine.FollowUp}})
	assert.Equal(t, string(got), `["-inf",-2,{"machine_key":"a","verdict":"redirect"},{"machine_key":"","verdict":"follow_up"}]`)
}

func TestRefusals(t *testing.T) {
	noInitial, subsets := newMachine(2), newMachine(40)
	noInitial.States[0].IsInitial = false
	for i := range 38 { // subset sums of 38 unrelated numbers
		n := wide - 7*(1<<i)%999_983 - i*i
		subsets.Transitions = append(subsets.Transitions, row(i, pass, i+1, n), row(i, pass, i+1, 0))
	}
	for name, c := range map[string]struct {
		doc  *personas.Machine
		want error
	}{
		"no initial state":         {noInitial, engine.ErrDocument},
		"subset sum":               {subsets, prove.ErrTooWide},
		"redirects beyond number":  {limitRedirects(newMachine(2, row(0, redirect, -1, 1)), 0, wide), prove.ErrTooWide},
		"a number no document has": {newMachine(2, row(0, pass, 1, wide+1)), prove.ErrTooWide},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := prove.Persona(&personas.Persona{Machines: []personas.Machine{*c.doc}})
			assert.ErrorIs(t, err, c.want, name)
		})
	}
}

// A witness that is too long to list is reported as such, and still counts as a proof.
func TestUnlisted(t *testing.T) {
	long := limitRedirects(passFail(newMachine(2, row(0, pass, 1, 0))), 0, prove.MaxSteps)
	far := setNumbers(newMachine(2, row(0, pass, 0, 1), row(0, pass, 1, 0)), wide, -3)
	for name, m := range map[string]*personas.Machine{"longer than the limit": long, "beyond the search": far} {
		t.Run(name, func(t *testing.T) {
			for _, o := range proveMachine(t, m).Machines[0].Outcomes[:2] {
				listed := o.Witness.Steps() != nil
				assert.True(t, o.Reachable && listed == (o.Reason == ""), "%s %t, listed %t: %s", o.Outcome, o.Reachable, listed, o.Reason)
			}
		})
	}
	n := limitRedirects(passFail(newMachine(2, row(0, pass, 1, 0))), 0, prove.MaxSteps-1)
	assert.True(t, proveMachine(t, n).Machines[0].OutcomeOf(personas.Reject).Witness.Steps() != nil, "a witness of MaxSteps is not listed")
}

func TestSamplesHold(t *testing.T) {
	for _, name := range examples.Names() {
		r := provePersona(t, personatest.Sample(t, name))
		for _, m := range r.Machines {
			for _, o := range m.Outcomes {
				assert.True(t, o.Reachable, "%s: %s never ends with %s: %s", name, m.Key, o.Outcome, o.Reason)
			}
		}
		assert.True(t, r.Holds(), "%s does not hold: %+v", name, r)
	}
}

// paidMachine returns a machine with the given limit of redirects, which add points.
func paidMachine(key string, limit int, deltas ...int) personas.Machine {
	m := personas.Machine{Key: key, EarlyFailBound: new(-1_000_000)}
	m.States = []personas.State{{Key: "0", IsInitial: true, MaxRedirects: &limit}, {Key: "1", IsTerminal: true}}
	m.Transitions = []personas.Transition{row(0, personas.DecidePass, 1, 0)}
	for _, delta := range deltas {
		m.Transitions = append(m.Transitions, row(0, personas.DecideRedirect, -1, delta))
	}
	return m
}

// badCases returns small files that are expensive to prove.
func badCases() map[string]*personas.Persona {
	cases := map[string]*personas.Persona{}
	addMany := func(name string, n int, newMachine func(key string) personas.Machine) {
		p := &personas.Persona{Name: "p"}
		for i := range n {
			p.Machines = append(p.Machines, newMachine(fmt.Sprint("m", i)))
		}
		cases[name] = p
	}
	addMany("one paid limit", 1, func(key string) personas.Machine { return paidMachine(key, 200_000, -1) })
	addMany("paid limits", 1000, func(key string) personas.Machine { return paidMachine(key, 200_000, -1) })
	addMany("paid twice", 1000, func(key string) personas.Machine { return paidMachine(key, 200_000, 1, 3) })
	addMany("parallel and paid", 1, func(key string) personas.Machine {
		m := paidMachine(key, 200_000, 1, 2)
		for i := range 9000 {
			m.Transitions = append(m.Transitions, row(0, personas.DecidePass, 1, i))
		}
		return m
	})
	addMany("many scores", 20, func(key string) personas.Machine {
		m := personas.Machine{Key: key, EarlyFailBound: new(-1_000_000_000)}
		for i := range 61 {
			m.States = append(m.States, personas.State{Key: fmt.Sprint(i), IsInitial: i == 0, IsTerminal: i == 60})
			if i < 60 {
				m.Transitions = append(m.Transitions, row(i, personas.DecidePass, i+1, 0), row(i, personas.DecidePass, i+1, 1+(i*7919*i+104_729*i)%10_000_019))
			}
		}
		return m
	})
	p := &personas.Persona{Name: "p", Machines: []personas.Machine{lineMachine("m", 3000), paidMachine("n", 1, 1)}}
	for i := range 3000 {
		p.Links = append(p.Links, personas.Link{Source: "m", Target: "n", Condition: personas.IfScoreGTE, Score: i})
	}
	cases["many links"] = p
	return cases
}

// TestProofsShareABudget: the proofs of a file share one budget, and the error names the machine and the limit.
func TestProofsShareABudget(t *testing.T) {
	for name, p := range badCases() {
		t.Run(name, func(t *testing.T) {
			var err error
			bytes := assert.Allocated(func() { _, err = prove.Persona(p) })
			assert.True(t, bytes <= 1<<30, "%d bytes", bytes)
			if err != nil {
				assert.ErrorIs(t, err, prove.ErrTooWide)
				assert.Contains(t, err.Error(), `"m`)
				assert.True(t, strings.ContainsAny(err.Error(), "0123456789"), "no number in %v", err)
			}
		})
	}
}

// TestHighLimitsAreProved: limits on paid redirects far above those that authors write are proved.
func TestHighLimitsAreProved(t *testing.T) {
	for _, limit := range []int{4, 1000, 100_000} {
		r := assert.Value(prove.Persona(&personas.Persona{Name: "p", Machines: []personas.Machine{paidMachine("m", limit, 1)}}))(t, "max_redirects %d", limit)
		most := r.Machines[0].OutcomeOf(personas.Accept).Max
		assert.True(t, most != nil && int(*most) == limit, "max_redirects %d: the most is %v", limit, most)
	}
}

// TestTheExplorerAgreesOnLongLimits compares proofs of long counts with the explorer.
func TestTheExplorerAgreesOnLongLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := someMachine(t, "m")
		d.ScoringMode = personas.Scoring
		limit, delta := rapid.IntRange(4, 20).Draw(t, "long"), rapid.IntRange(-3, 3).Draw(t, "paid")
		d.States[0].MaxRedirects, d.States[0].IsTerminal = &limit, false
		for i := range d.Transitions {
			if row := &d.Transitions[i]; row.From == "0" && row.Decision == personas.DecideRedirect {
				row.ScoreDelta = delta
			}
		}
		d.Transitions = append(d.Transitions, row(0, personas.DecideRedirect, -1, delta))
		p := &personas.Persona{Name: "p", Machines: []personas.Machine{d}}
		report := assert.Value(prove.Persona(p))(t)
		run := assert.Value(engine.CompilePersona(p))(t)
		x := newExplorer(&d, run.Machine("m"), 5*scoreWindow(&d))
		checkMachine(t, x, &report.Machines[0], func(high int, proved prove.Score) bool {
			return x.overflow || int(proved) == high
		})
		checkStuck(t, x, report)
		checkReplays(t, p, run, report)
	})
}

// replayWay plays a witness, from the machine started on, and returns its last step and what it unlocked.
func replayWay(t assert.TB, run *engine.Persona, w *prove.Way, started string) (machine string, last engine.Result, unlocked []string) {
	t.Helper()
	s := engine.Session{Outcome: personas.Accept}
	for i, step := range w.Steps() {
		if step.Machine != machine || s.IsFinished() {
			machine = step.Machine
			assert.Must(t, machine == started || run.IsAvailable(machine, unlocked), "step %d starts %q, which is locked", i, machine)
			s = run.Machine(machine).Start()
		}
		var err error
		last, err = run.Machine(machine).Step(s, step.Verdict)
		assert.NoError(t, err, "step %d, %+v on %+v", i, step, s)
		if s = last.Session; s.IsFinished() {
			unlocked = append(unlocked, run.Complete(unlocked, machine, s.Outcome, s.Score)...)
		}
	}
	return machine, last, unlocked
}

// replayListed returns the last step of a witness, or nil if it is not listed.
func replayListed(t assert.TB, run *engine.Persona, w *prove.Way, started string) *engine.Result {
	t.Helper()
	if w.Steps() == nil {
		return nil
	}
	_, last, _ := replayWay(t, run, w, started)
	if w.Len() == 0 {
		last.Session = run.Machine(started).Start()
	}
	return &last
}

func checkReplays(t assert.TB, p *personas.Persona, run *engine.Persona, r *prove.Report) {
	t.Helper()
	for i := range r.Machines {
		replayMachine(t, p, run, &r.Machines[i], i)
	}
	for i, l := range r.Links {
		if l.Witness.Steps() == nil {
			continue
		}
		machine, last, _ := replayWay(t, run, l.Witness, "")
		assert.Equal(t, machine, p.Links[i].Source, "link %d: end of the witness", i)
		opens := engine.Opens(&p.Links[i], last.Session.Outcome, last.Session.Score)
		assert.Must(t, opens, "link %d: its witness ends with %+v", i, last)
	}
	for _, s := range r.Stuck {
		if s.State != "" {
			last := replayListed(t, run, s.Witness, s.Machine)
			isThere := last == nil || last.Session.State == s.State && !last.IsCompleted()
			assert.Must(t, isThere, "stuck in %q: its witness ends with %+v", s.State, last)
		}
	}
}

func replayMachine(t assert.TB, p *personas.Persona, run *engine.Persona, m *prove.Machine, i int) {
	for _, s := range m.States {
		last := replayListed(t, run, s.Witness, m.Key)
		assert.Must(t, last == nil || last.Session.State == s.Key, "state %q: its witness ends with %+v", s.Key, last)
	}
	for _, tr := range m.Transitions {
		last, decision := replayListed(t, run, tr.Witness, m.Key), p.Machines[i].Transitions[tr.Index].Decision
		fires := last == nil || last.Transition == tr.Index && last.Decision == decision
		assert.Must(t, fires, "transition %d: its witness ends with %+v", tr.Index, last)
	}
	for _, o := range m.Outcomes {
		last := replayListed(t, run, o.Witness, m.Key)
		assert.Must(t, last == nil || last.Session.Outcome == o.Outcome, "%s: its witness ends with %+v", o.Outcome, last)
	}
	if m.Witness != nil {
		_, _, unlocked := replayWay(t, run, m.Witness, "")
		isUnlocked := run.IsAvailable(m.Key, unlocked)
		assert.Must(t, isUnlocked, "machine %q: its witness does not unlock it: %v", m.Key, m.Witness.Steps())
	}
}

// TestWitnessesAreBounded: the total length of witnesses in JSON is bounded, and omitted ones have a reason.
func TestWitnessesAreBounded(t *testing.T) {
	whole := assert.Value(prove.Persona(personatest.Parse(t, "ring of states", 1<<20)))(t)
	r := whole.ListWitnesses()
	steps, dropped := 0, 0
	for _, state := range r.Machines[0].States {
		if steps += state.Witness.Len(); state.Reachable && state.Witness == nil && state.Reason != "" {
			dropped++
		}
	}
	text := assert.Value(json.Marshal(r))(t)
	assert.True(t, len(text) <= 32<<20, "%d bytes", len(text))
	assert.True(t, steps <= prove.MaxAllSteps, "%d steps", steps)
	assert.True(t, dropped != 0, "no witness was dropped")
	for _, state := range whole.Machines[0].States {
		assert.Must(t, !state.Reachable || state.Witness != nil, "the report itself has lost the witness of %s", state.Key)
	}
}
