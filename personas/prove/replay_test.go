package prove_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/assert"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/personatest"
	"github.com/parley-npc/parley/personas/prove"
)

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
		assert.Must(t, machine == p.Links[i].Source && engine.Opens(&p.Links[i], last.Session.Outcome, last.Session.Score), "link %d: its witness ends in %q with %+v", i, machine, last)
	}
	for _, s := range r.Stuck {
		if s.State == "" || s.Witness.Steps() == nil {
			continue
		}
		_, last, _ := replayWay(t, run, s.Witness, s.Machine)
		assert.Must(t, s.Witness.Len() == 0 || last.Session.State == s.State && !last.IsCompleted(), "stuck in %q: its witness ends with %+v", s.State, last)
	}
}

func replayMachine(t assert.TB, p *personas.Persona, run *engine.Persona, m *prove.Machine, i int) {
	for _, s := range m.States {
		if s.Witness.Steps() == nil {
			continue
		}
		_, last, _ := replayWay(t, run, s.Witness, m.Key)
		if s.Witness.Len() == 0 {
			last.Session = run.Machine(m.Key).Start()
		}
		assert.Must(t, last.Session.State == s.Key, "state %q: its witness ends with %+v", s.Key, last)
	}
	for _, tr := range m.Transitions {
		if tr.Witness.Steps() == nil {
			continue
		}
		_, last, _ := replayWay(t, run, tr.Witness, m.Key)
		assert.Must(t, last.Transition == tr.Index && last.Decision == p.Machines[i].Transitions[tr.Index].Decision, "transition %d: its witness ends with %+v", tr.Index, last)
	}
	for _, o := range m.Outcomes {
		if o.Witness.Steps() == nil {
			continue
		}
		_, last, _ := replayWay(t, run, o.Witness, m.Key)
		assert.Must(t, last.Session.Outcome == o.Outcome, "%s: its witness ends with %+v", o.Outcome, last)
	}
	if m.Witness != nil {
		_, _, unlocked := replayWay(t, run, m.Witness, "")
		assert.Must(t, run.IsAvailable(m.Key, unlocked), "machine %q: its witness does not unlock it: %s", m.Key, fmt.Sprint(m.Witness.Steps()))
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
	assert.True(t, len(text) <= 32<<20 && steps <= prove.MaxAllSteps && dropped != 0, "%d bytes, %d steps, %d dropped", len(text), steps, dropped)
	for _, state := range whole.Machines[0].States {
		assert.Must(t, !state.Reachable || state.Witness != nil, "the report itself has lost the witness of %s", state.Key)
	}
}
