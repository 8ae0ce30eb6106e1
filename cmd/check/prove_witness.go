package check

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/prove"
	"github.com/parley-npc/parley/tui/terminal"
)

// printWitnesses writes each witness turn by turn: the state, what the player has to do,
// and what follows.
func (o *proveOptions) printWitnesses(p proof) error {
	run, err := engine.CompilePersona(&p.file.Doc)
	if err != nil {
		return err
	}
	w := witnessWriter{doc: &p.file.Doc, compiled: run}
	for i := range p.Machines {
		w.writeMachine(&p.Machines[i])
	}
	for _, l := range p.Links {
		w.writeWitness(fmt.Sprintf("link %d", l.Index), l.Witness)
	}
	for _, s := range p.Stuck {
		if s.State != "" {
			w.writeWitness(fmt.Sprintf("stuck in %s / %s", s.Machine, s.State), s.Witness)
		}
	}
	_, err = fmt.Fprint(o.Out, terminal.CleanLines(w.text.String()))
	return err
}

// witnessWriter writes the witnesses of one persona in words.
type witnessWriter struct {
	doc      *personas.Persona
	compiled *engine.Persona
	text     strings.Builder
}

// writeMachine writes the witnesses of a machine, its states and its endings.
func (w *witnessWriter) writeMachine(m *prove.Machine) {
	if m.Witness.Len() > 0 {
		w.writeWitness("machine "+m.Key, m.Witness)
	}
	for _, s := range m.States {
		w.writeWitness(fmt.Sprintf("state %s / %s", m.Key, s.Key), s.Witness)
	}
	for _, e := range m.Outcomes {
		w.writeWitness(fmt.Sprintf("ending %s / %s", m.Key, e.Outcome), e.Witness)
	}
}

// writeWitness writes one witness under a title, nothing when there is none.
func (w *witnessWriter) writeWitness(title string, way *prove.Way) {
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
		if step.Machine != machine || s.IsFinished() {
			machine = step.Machine
			s = w.compiled.Machine(machine).Start()
		}
		r, err := w.compiled.Machine(machine).Step(s, step.Verdict)
		if err != nil {
			fmt.Fprintf(&w.text, "  %v\n", err)
			return
		}
		fmt.Fprintf(&w.text, "  %3d. %s / %s: %s\n", i+1, machine, s.State, w.describeTurn(machine, s, step.Verdict, r))
		s = r.Session
	}
}

// describeTurn says the decision of a turn, the state that it leads to, the score after
// it, and what the player has to do for it.
func (w *witnessWriter) describeTurn(machine string, before engine.Session, v engine.Verdict, r engine.Result) string {
	text := string(r.Decision)
	if r.Session.State != before.State {
		text += " to " + r.Session.State
	}
	m := w.findMachine(machine)
	if m.Mode() == personas.Scoring {
		text += fmt.Sprintf(", score %d", r.Session.Score)
	}
	if r.IsCompleted() {
		text += ", ends with " + string(r.Session.Outcome)
	}
	if condition := findCondition(m, before.State, v); condition != "" {
		text += ": " + strings.Join(strings.Fields(condition), " ")
	}
	return text
}

// findMachine gives a machine of the document, an empty one when it has none of that key.
func (w *witnessWriter) findMachine(machine string) *personas.Machine {
	for i := range w.doc.Machines {
		if w.doc.Machines[i].Key == machine {
			return &w.doc.Machines[i]
		}
	}
	return &personas.Machine{}
}

// findCondition gives the text of the document for a verdict: the condition of its
// transition, else the state's criterion for its decision.
func findCondition(m *personas.Machine, state string, v engine.Verdict) string {
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
			return findCriterion(&m.States[i].Criteria, decision)
		}
	}
	return ""
}

func findCriterion(c *personas.Criteria, d personas.Decision) string {
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
