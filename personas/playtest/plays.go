package playtest

import (
	"context"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/intent"
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
		v := Version{f.doc, f.machines, judgeWith(f.reader)}
		// The only possible error is that of the context.
		verdict, _, _ = v.judge(context.Background(), f.machine, f.session, f.script.Key, &Turn{Message: step.Say}, intent.Asked{})
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
