package prove_test

import (
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

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

// ending records whether a machine can end so that a link opens, with the shortest way.
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
