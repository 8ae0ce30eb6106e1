package playtest

import (
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// follower plays a play-through with the built-in model, to find out in which state each message is
// sent.
type follower struct {
	*Talk
	machine *engine.Machine
	script  *personas.Machine
	session engine.Session
}

// AddPlay adds the messages of a play-through to the Talk.
func (t *Talk) AddPlay(play *Play, source string) error {
	f := follower{Talk: t}
	f.begin("")
	for i := range play.Steps {
		step := &play.Steps[i]
		if step.Start {
			f.begin(step.Machine)
		}
		if step.Say == "" || f.machine == nil || f.session.IsFinished() {
			continue
		}
		if err := t.add(f.script.Key, f.session.State, step.Say, source); err != nil {
			return err
		}
		f.move(step)
	}
	return nil
}

func (f *follower) begin(key string) {
	if key == "" {
		key = f.machines.Primary()
	}
	f.script, f.machine = f.doc.Machine(key), f.machines.Machine(key)
	if f.machine != nil {
		f.session = f.machine.Start()
	}
}

// move enters the next state. If the step expects a state, that is the expected state. Otherwise it
// is the state to which the director's mark leads, or without a mark the decision of the built-in
// model.
func (f *follower) move(step *Step) {
	verdict, marked := readMark(f.script, f.machine, f.session.State, step.Say)
	if !marked {
		verdict = f.decide(step.Say)
	}
	if result, err := f.machine.Step(f.session, verdict); err == nil {
		f.session = result.Session
	}
	for _, e := range step.Expect {
		if _, known := f.findState(f.script.Key, e.Want); known && e.Member == ExpectState {
			f.session.State = e.Want
		}
	}
}

func (f *follower) decide(say string) engine.Verdict {
	at, known := f.findState(f.script.Key, f.session.State)
	if !known {
		return engine.None
	}
	where := f.placeOf(at)
	where.FollowUpAllowed, where.LastTry = !f.session.FollowUpPending, f.machine.IsLastTry(f.session)
	where.InGame, where.Losing = true, f.machine.Losing(f.session)
	v := f.reader.Decide(where, say)
	switch v.Decision {
	case personas.AsideName:
		return engine.Aside
	case personas.FollowUpName:
		return engine.FollowUp
	}
	return f.machine.Choose(f.session.State, v.Rows)
}
