package check

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/prove"
	"github.com/parley-npc/parley/tui/terminal"
)

// printPlans writes each witness as a conversation: who stands where, what the
// player has to do, and what it decides.
func (o *proveOptions) printPlans(p proved) error {
	run, err := engine.CompilePersona(&p.file.Doc)
	if err != nil {
		return err
	}
	w := planner{doc: &p.file.Doc, run: run}
	for i := range p.Machines {
		w.machine(&p.Machines[i])
	}
	for _, l := range p.Links {
		w.plan(fmt.Sprintf("link %d", l.Index), l.Witness)
	}
	for _, s := range p.Stuck {
		if s.State != "" {
			w.plan(fmt.Sprintf("stuck in %s / %s", s.Machine, s.State), s.Witness)
		}
	}
	_, err = fmt.Fprint(o.Out, terminal.CleanLines(w.text.String()))
	return err
}

// planner writes witnesses in words.
type planner struct {
	doc  *personas.Persona
	run  *engine.Persona
	text strings.Builder
}

func (w *planner) machine(m *prove.Machine) {
	if m.Witness.Len() > 0 {
		w.plan("machine "+m.Key, m.Witness)
	}
	for _, s := range m.States {
		w.plan(fmt.Sprintf("state %s / %s", m.Key, s.Key), s.Witness)
	}
	for _, e := range m.Outcomes {
		w.plan(fmt.Sprintf("ending %s / %s", m.Key, e.Outcome), e.Witness)
	}
}

func (w *planner) plan(title string, way *prove.Way) {
	if way == nil {
		return
	}
	fmt.Fprintf(&w.text, "\n%s\n", title)
	steps := way.Steps()
	switch {
	case steps == nil:
		fmt.Fprintf(&w.text, "  %d turns, too many to list\n", way.Len())
	case len(steps) == 0:
		w.text.WriteString("  is where it begins\n")
	}
	machine, s := "", engine.Session{}
	for i, step := range steps {
		if step.Machine != machine || s.Finished() {
			machine = step.Machine
			s = w.run.Machine(machine).Start()
		}
		r, err := w.run.Machine(machine).Step(s, step.Verdict)
		if err != nil {
			fmt.Fprintf(&w.text, "  %v\n", err)
			return
		}
		fmt.Fprintf(&w.text, "  %3d. %s / %s: %s\n", i+1, machine, s.State, w.turn(machine, s, step.Verdict, r))
		s = r.Session
	}
}

// turn is one turn: the decision, where it leads, what it makes of the score,
// and what the player has to do for it.
func (w *planner) turn(machine string, before engine.Session, v engine.Verdict, r engine.Result) string {
	text := string(r.Decision)
	if r.Session.State != before.State {
		text += " to " + r.Session.State
	}
	m := w.find(machine)
	if m.Mode() == personas.Scoring {
		text += fmt.Sprintf(", score %d", r.Session.Score)
	}
	if r.Completed() {
		text += ", ends with " + string(r.Session.Outcome)
	}
	if words := conditionWords(m, before.State, v); words != "" {
		text += ": " + strings.Join(strings.Fields(words), " ")
	}
	return text
}

func (w *planner) find(machine string) *personas.Machine {
	for i := range w.doc.Machines {
		if w.doc.Machines[i].Key == machine {
			return &w.doc.Machines[i]
		}
	}
	return &personas.Machine{}
}

// conditionWords is what the document says of a verdict: the transition's
// condition, else the state's criterion for its decision.
func conditionWords(m *personas.Machine, state string, v engine.Verdict) string {
	decision := personas.DecideRedirect
	if v >= 0 {
		t := &m.Transitions[v]
		if t.Condition != "" {
			return t.Condition
		}
		decision = t.Decision
	}
	for i := range m.States {
		if m.States[i].Key == state {
			return criterion(&m.States[i].Criteria, decision)
		}
	}
	return ""
}

func criterion(c *personas.Criteria, d personas.Decision) string {
	switch d {
	case personas.DecidePass:
		return c.Pass
	case personas.DecideReject:
		return c.Reject
	case personas.DecideKickOut:
		return c.KickOut
	}
	return c.Redirect
}
