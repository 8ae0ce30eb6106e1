package prove_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/prove"
)

func someMachine(t *rapid.T, key string) personas.Machine {
	n := rapid.IntRange(1, 4).Draw(t, "states")
	d := personas.Machine{Key: key, ScoringMode: personas.Scoring, IsEntry: rapid.Bool().Draw(t, "entry")}
	if rapid.IntRange(0, 5).Draw(t, "mode") == 0 {
		d.ScoringMode = personas.PassFail
	}
	reach := rapid.SampledFrom([]int{1, 2, 3, 5}).Draw(t, "reach")
	times := rapid.SampledFrom([]int{1, 1, 1, 2, 3}).Draw(t, "times")
	number := rapid.Ptr(rapid.IntRange(-7, 7), true)
	d.PassThreshold, d.EarlyFailBound = number.Draw(t, "threshold"), number.Draw(t, "bound")
	for i := range n {
		d.States = append(d.States, personas.State{
			Key: fmt.Sprint(i), IsInitial: i == 0, IsTerminal: rapid.IntRange(0, 3).Draw(t, "terminal") == 0,
			MaxRedirects:    rapid.Ptr(rapid.IntRange(0, 4), true).Draw(t, "limit"),
			TerminalOutcome: rapid.SampledFrom([]personas.Outcome{"", personas.Reject}).Draw(t, "ending"),
		})
	}
	state := rapid.Map(rapid.IntRange(0, n-1), func(i int) string { return fmt.Sprint(i) })
	decision := rapid.SampledFrom([]personas.Decision{personas.DecidePass, personas.DecidePass, personas.DecideReject, personas.DecideRedirect, personas.DecideKickOut})
	for range rapid.IntRange(0, 9).Draw(t, "transitions") {
		tr := personas.Transition{
			From: state.Draw(t, "from"), To: state.Draw(t, "to"), Decision: decision.Draw(t, "decision"),
			ScoreDelta: times * rapid.IntRange(-reach, reach).Draw(t, "delta"), Priority: rapid.IntRange(-1, 1).Draw(t, "priority"),
		}
		if tr.Decision != personas.DecidePass && rapid.Bool().Draw(t, "nowhere") {
			tr.To = ""
		}
		d.Transitions = append(d.Transitions, tr)
	}
	return d
}

func somePersona(t *rapid.T) *personas.Persona {
	keys := []string{"a", "b", "c"}[:rapid.SampledFrom([]int{1, 1, 2, 3}).Draw(t, "machines")]
	p := &personas.Persona{Name: "p"}
	for _, key := range keys {
		p.Machines = append(p.Machines, someMachine(t, key))
	}
	if len(keys) == 1 && rapid.Bool().Draw(t, "alone") {
		return p
	}
	key := rapid.SampledFrom(keys)
	for range rapid.IntRange(0, 4).Draw(t, "links") {
		p.Links = append(p.Links, personas.Link{
			Source: key.Draw(t, "source"), Target: key.Draw(t, "target"),
			Outcome:   rapid.SampledFrom([]personas.Outcome{personas.Accept, personas.Reject, personas.KickOut}).Draw(t, "outcome"),
			Condition: rapid.SampledFrom([]personas.Condition{personas.IfOutcome, personas.IfScoreGTE, personas.IfScoreLTE, personas.Always}).Draw(t, "condition"),
			Score:     rapid.IntRange(-9, 12).Draw(t, "score"),
		})
	}
	return p
}

// maxScoreWithoutCycle returns the greatest score of a random machine without cycles that add points.
func maxScoreWithoutCycle(d *personas.Machine) int {
	most := 0
	for _, t := range d.Transitions {
		most = max(most, t.ScoreDelta, -t.ScoreDelta)
	}
	return 20 * most
}

func scoreWindow(d *personas.Machine) int {
	return 2*maxScoreWithoutCycle(d) + maxScoreWithoutCycle(d)/4 + 20
}

// TestTheExplorerAgrees: prover and explorer agree on what is possible, and the engine replays each witness.
func TestTheExplorerAgrees(t *testing.T) {
	for range 8 {
		rapid.Check(t, func(t *rapid.T) { checkPersona(t, somePersona(t)) })
	}
}

func checkPersona(t assert.TB, p *personas.Persona) {
	report, run := assert.Value(prove.Persona(p))(t), assert.Value(engine.CompilePersona(p))(t)
	explorers := map[string]*explorer{}
	for i := range p.Machines {
		d := &p.Machines[i]
		x := newExplorer(d, run.Machine(d.Key), scoreWindow(d))
		explorers[d.Key] = x
		checkMachine(t, x, &report.Machines[i], func(high int, proved prove.Score) bool {
			return int(proved) == high || proved == prove.Inf && high > maxScoreWithoutCycle(d)
		})
		checkStuck(t, x, report)
	}
	checkLinks(t, p, run, explorers, report)
	checkReplays(t, p, run, report)
}

func checkMachine(t assert.TB, x *explorer, m *prove.Machine, isMax func(high int, proved prove.Score) bool) {
	for _, s := range m.States {
		steps, ok := x.entered[s.Key]
		checkSame(t, "state "+s.Key, ok, s.Reachable, steps, s.Witness)
	}
	for _, tr := range m.Transitions {
		steps, ok := x.fired[tr.Index]
		checkSame(t, fmt.Sprint("transition ", tr.Index), ok, tr.Fires, steps, tr.Witness)
	}
	for _, o := range m.Outcomes {
		low, high, steps, ok := x.outcomeRange(o.Outcome)
		checkSame(t, "outcome "+string(o.Outcome), ok, o.Reachable, steps, o.Witness)
		if ok {
			assert.Must(t, int(*o.Min) == low, "%s: least score %s, explored %d", o.Outcome, o.Min, low)
			assert.Must(t, isMax(high, *o.Max), "%s: greatest score %s, explored %d", o.Outcome, o.Max, high)
		}
	}
}

func checkSame(t assert.TB, what string, found, proved bool, steps int, w *prove.Way) {
	switch {
	case found != proved:
		t.Fatalf("%s: explored %t, proved %t", what, found, proved)
	case found && w == nil, !found && w != nil:
		t.Fatalf("%s: possible %t, witness %v", what, found, w)
	case found && w.Len() != steps:
		t.Fatalf("%s: explored in %d steps, proved in %d", what, steps, w.Len())
	}
}

func checkStuck(t assert.TB, x *explorer, report *prove.Report) {
	proved := map[string]*prove.Way{}
	for _, s := range report.Stuck {
		if s.Machine == x.doc.Key && s.State != "" {
			proved[s.State] = s.Witness
		}
	}
	if x.overflow {
		return
	}
	found := x.stuckStates()
	for _, st := range x.doc.States {
		steps, ok := found[st.Key]
		w, mine := proved[st.Key]
		checkSame(t, "stuck in "+st.Key, ok, mine, steps, w)
	}
}

// checkLinks computes availability from the explored endings alone.
func checkLinks(t assert.TB, p *personas.Persona, run *engine.Persona, xs map[string]*explorer, report *prove.Report) {
	cost := map[string]int{}
	for _, key := range run.Available(nil) {
		cost[key] = 0
	}
	opened := map[int]int{}
	for range len(p.Machines) + 1 {
		for i := range p.Links {
			l := &p.Links[i]
			before, ok := cost[l.Source]
			for e, steps := range xs[l.Source].endings {
				if ok && engine.Opens(l, e.outcome, e.score) {
					noteFirst(opened, i, before+steps)
					noteFirst(cost, l.Target, before+steps)
				}
			}
		}
	}
	for i, l := range report.Links {
		steps, ok := opened[i]
		checkSame(t, fmt.Sprint("link ", i), ok, l.CanOpen, steps, l.Witness)
	}
	for _, m := range report.Machines {
		steps, ok := cost[m.Key]
		checkSame(t, "machine "+m.Key, ok, m.Available, steps, m.Witness)
	}
}

func row(from int, d personas.Decision, to, delta int) personas.Transition {
	t := personas.Transition{From: fmt.Sprint(from), Decision: d, ScoreDelta: delta}
	if to >= 0 {
		t.To = fmt.Sprint(to)
	}
	return t
}

// storyMachine returns a typical machine of n states. A redirect costs a point, and two are allowed.
func storyMachine(key string, n int) personas.Machine {
	m := personas.Machine{Key: key, PassThreshold: new(5), EarlyFailBound: new(-4)}
	for i := range n {
		m.States = append(m.States, personas.State{Key: fmt.Sprint(i), IsInitial: i == 0, IsTerminal: i == n-1, MaxRedirects: new(2)})
		if i == n-1 {
			break
		}
		m.Transitions = append(m.Transitions, row(i, personas.DecidePass, i+1, 1+i%2), row(i, personas.DecideRedirect, -1, -1))
		switch i % 5 {
		case 1:
			m.Transitions = append(m.Transitions, row(i, personas.DecidePass, min(i+7, n-1), 0))
		case 2:
			m.Transitions = append(m.Transitions, row(i, personas.DecideReject, max(i-6, 0), -1))
		case 3:
			m.Transitions = append(m.Transitions, row(i, personas.DecideKickOut, -1, -2))
		case 4:
			m.Transitions = append(m.Transitions, row(i, personas.DecideReject, -1, -2))
		}
	}
	return m
}

// lineMachine returns a story without ways back.
func lineMachine(key string, n int) personas.Machine {
	m := storyMachine(key, n)
	for i := range m.Transitions {
		if t := &m.Transitions[i]; t.Decision == personas.DecideReject {
			t.To = ""
		}
	}
	return m
}

// explorer plays a machine in every way up to a score, using only the engine. Its results are
// compared with those of the prover.
type explorer struct {
	doc      *personas.Machine
	run      *engine.Machine
	top      int // scores beyond it are not looked at
	overflow bool
	at       map[engine.Session]int // sessions and their least number of steps
	queue    []engine.Session
	into     map[engine.Session][]engine.Session
	entered  map[string]int
	fired    map[int]int
	endings  map[ending]int
}

// ending is the outcome and the score of a session that has ended.
type ending struct {
	outcome personas.Outcome
	score   int
}

func newExplorer(doc *personas.Machine, run *engine.Machine, top int) *explorer {
	x := &explorer{
		doc: doc, run: run, top: top, at: map[engine.Session]int{}, into: map[engine.Session][]engine.Session{},
		entered: map[string]int{}, fired: map[int]int{}, endings: map[ending]int{},
	}
	x.noteSession(run.Start(), 0)
	for i := 0; i < len(x.queue); i++ {
		x.playSession(x.queue[i])
	}
	return x
}

func (x *explorer) noteSession(s engine.Session, steps int) {
	s = x.plainSession(s)
	if s.Score > x.top {
		x.overflow = true
		return
	}
	if _, ok := x.at[s]; !ok {
		x.at[s] = steps
		x.queue = append(x.queue, s)
	}
}

func (x *explorer) playSession(s engine.Session) {
	steps := x.at[s] + 1
	noteFirst(x.entered, s.State, steps-1)
	verdicts := []engine.Verdict{engine.None, engine.FollowUp}
	for _, i := range x.run.Outgoing(s.State) {
		verdicts = append(verdicts, engine.Fire(i))
	}
	for _, v := range verdicts {
		r, err := x.run.Step(s, v)
		if err != nil {
			panic(err)
		}
		if v >= 0 && r.Decision == x.doc.Transitions[v].Decision {
			noteFirst(x.fired, int(v), steps)
		}
		after := x.plainSession(r.Session)
		x.into[after] = append(x.into[after], s)
		if r.IsCompleted() {
			noteFirst(x.entered, r.Session.State, steps)
			noteFirst(x.endings, ending{r.Session.Outcome, r.Session.Score}, steps)
			continue
		}
		x.noteSession(r.Session, steps)
	}
}

func noteFirst[K comparable](m map[K]int, key K, steps int) {
	if old, ok := m[key]; !ok || steps < old {
		m[key] = steps
	}
}

// outcomeRange returns the least and greatest score of an outcome and the fewest steps.
func (x *explorer) outcomeRange(o personas.Outcome) (low, high, steps int, ok bool) {
	for e, n := range x.endings {
		if e.outcome != o {
			continue
		}
		if !ok {
			low, high, steps, ok = e.score, e.score, n, true
		}
		low, high, steps = min(low, e.score), max(high, e.score), min(steps, n)
	}
	return low, high, steps, ok
}

// stuckStates returns states that cannot reach an end, if all scores stayed within the window.
func (x *explorer) stuckStates() map[string]int {
	alive := map[engine.Session]bool{}
	var queue []engine.Session
	for s := range x.into {
		if s.IsFinished() {
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, before := range x.into[s] {
			if !alive[before] {
				alive[before] = true
				queue = append(queue, before)
			}
		}
	}
	stuck := map[string]int{}
	for s, steps := range x.at {
		if !alive[s] {
			noteFirst(stuck, s.State, steps)
		}
	}
	return stuck
}

// plainSession removes a count of redirects that has no effect.
func (x *explorer) plainSession(s engine.Session) engine.Session {
	i := slices.IndexFunc(x.doc.States, func(st personas.State) bool { return st.Key == s.State })
	if x.doc.States[i].MaxRedirects == nil {
		s.Redirects = 0
	}
	return s
}
