package playtest

import (
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// follower follows a play-through with the built-in model, to determine the state at each message.
type follower struct {
	*Talk
	machine *engine.Machine
	script  *personas.Machine
	session engine.Session
}

// AddPlay adds the messages of a play-through.
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

// begin starts a machine, the primary one for an empty key.
func (f *follower) begin(key string) {
	if key == "" {
		key = f.machines.Primary()
	}
	f.script, f.machine = nil, nil
	for i := range f.doc.Machines {
		if m := &f.doc.Machines[i]; m.Key == key {
			f.script, f.machine = m, f.machines.Machine(key)
			f.session = f.machine.Start()
		}
	}
}

// move goes to the next state: the one that the step expects, else that of its mark or of the
// built-in model's decision.
func (f *follower) move(step *Step) {
	verdict, marked := f.readMark(step.Say)
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
	v := f.reader.Decide(where, say)
	switch v.Decision {
	case personas.AsideName:
		return engine.Aside
	case personas.FollowUpName:
		return engine.FollowUp
	}
	return f.machine.Choose(f.session.State, v.Rows)
}

// readMark reads the director's mark at the end of a message: a decision, or the number of an
// outgoing transition.
func (f *follower) readMark(say string) (engine.Verdict, bool) {
	mark, marked := cutMark(say)
	out := f.machine.Outgoing(f.session.State)
	switch n, err := strconv.Atoi(mark); {
	case mark == personas.FollowUpName:
		return engine.FollowUp, true
	case mark == personas.AsideName:
		return engine.Aside, true
	case err == nil && n >= 1 && n <= len(out):
		return engine.Fire(out[n-1]), true
	}
	for _, row := range out {
		if string(f.script.Transitions[row].Decision) == mark {
			return engine.Fire(row), true
		}
	}
	return engine.None, marked
}

// cutMark returns the director's mark at the end of a message, without its brackets.
func cutMark(say string) (mark string, marked bool) {
	rest, marked := strings.CutSuffix(strings.TrimSpace(say), "]]")
	start := strings.LastIndex(rest, "[[")
	if !marked || start < 0 {
		return "", false
	}
	return strings.ToLower(strings.TrimSpace(rest[start+2:])), true
}
