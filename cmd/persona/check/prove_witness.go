package check

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/plaintext"
	"github.com/parley-npc/parley/personas/prove"
	"github.com/parley-npc/parley/tui/terminal"
)

const (
	maxWitnessText    = 32 << 20 // bytes of all witnesses of a file
	maxShownCondition = 500      // characters of a turn's condition
)

func (o *proveOptions) printWitnesses(p proof) error {
	run, err := engine.CompilePersona(&p.file.Doc)
	if err != nil {
		return err
	}
	w := newWitnessWriter(&p.file.Doc, run, o.Out)
	listed := p.ListWitnesses()
	for i := range p.Machines {
		w.writeMachine(&p.Machines[i], &listed.Machines[i])
	}
	for i, l := range p.Links {
		w.writeWitness(fmt.Sprintf("link %d", l.Index), l.Witness, listed.Links[i].Witness)
	}
	for i, s := range p.Stuck {
		if s.State != "" {
			w.writeWitness(fmt.Sprintf("stuck in %s / %s", s.Machine, s.State), s.Witness, listed.Stuck[i].Witness)
		}
	}
	return w.out.Flush()
}

type witnessWriter struct {
	out      *bufio.Writer
	compiled *engine.Persona
	machines map[string]*witnessMachine
	room     int // remaining bytes for turns
}

type witnessMachine struct {
	*personas.Machine
	criteria map[string]*personas.Criteria
}

func newWitnessWriter(doc *personas.Persona, run *engine.Persona, out io.Writer) *witnessWriter {
	w := &witnessWriter{out: bufio.NewWriter(out), compiled: run, machines: map[string]*witnessMachine{}, room: maxWitnessText}
	for i := range doc.Machines {
		m := &witnessMachine{&doc.Machines[i], map[string]*personas.Criteria{}}
		for j := range m.States {
			m.criteria[m.States[j].Key] = &m.States[j].Criteria
		}
		w.machines[m.Key] = m
	}
	return w
}

func (w *witnessWriter) writeMachine(m, listed *prove.Machine) {
	if m.Witness.Len() > 0 {
		w.writeWitness("machine "+m.Key, m.Witness, listed.Witness)
	}
	for i, s := range m.States {
		w.writeWitness(fmt.Sprintf("state %s / %s", m.Key, s.Key), s.Witness, listed.States[i].Witness)
	}
	for i, e := range m.Outcomes {
		w.writeWitness(fmt.Sprintf("ending %s / %s", m.Key, e.Outcome), e.Witness, listed.Outcomes[i].Witness)
	}
}

func (w *witnessWriter) writeWitness(title string, way, listed *prove.Way) {
	if way == nil {
		return
	}
	w.writeLine("\n%s\n", title)
	switch steps := listed.Steps(); {
	case way.Len() > prove.MaxSteps:
		w.writeLine("  %d turns, too many to list\n", way.Len())
	case listed == nil:
		w.writeLine("  %s, left out: the witnesses of a file have at most %d turns together\n", cli.Pluralize(way.Len(), "turn"), prove.MaxAllSteps)
	case len(steps) == 0:
		w.writeLine("  reached at the start\n")
	default:
		w.writeSteps(steps)
	}
}

func (w *witnessWriter) writeLine(format string, args ...any) int {
	// Flush reports a failed write.
	n, _ := w.out.WriteString(terminal.CleanLines(fmt.Sprintf(format, args...)))
	return n
}

func (w *witnessWriter) writeSteps(steps []prove.Step) {
	machine, s := "", engine.Session{}
	for i, step := range steps {
		if w.room <= 0 {
			w.writeLine("  %s more, left out: the turns of a file have at most %d MiB of text\n", cli.Pluralize(len(steps)-i, "turn"), maxWitnessText>>20)
			return
		}
		if step.Machine != machine || s.IsFinished() {
			machine = step.Machine
			s = w.compiled.Machine(machine).Start()
		}
		r, err := w.compiled.Machine(machine).Step(s, step.Verdict)
		if err != nil {
			w.writeLine("  %v\n", err)
			return
		}
		w.room -= w.writeLine("  %3d. %s / %s: %s\n", i+1, machine, s.State, w.describeTurn(machine, s, step.Verdict, r))
		s = r.Session
	}
}

func (w *witnessWriter) describeTurn(machine string, before engine.Session, v engine.Verdict, r engine.Result) string {
	text := string(r.Decision)
	if r.Session.State != before.State {
		text += " to " + r.Session.State
	}
	m := w.machines[machine]
	if m.Mode() == personas.Scoring {
		text += fmt.Sprintf(", score %d", r.Session.Score)
	}
	if r.IsCompleted() {
		text += ", ends with " + string(r.Session.Outcome)
	}
	if condition := m.findCondition(before.State, v); condition != "" {
		text += ": " + strings.Join(strings.Fields(plaintext.ClipAfter(condition, maxShownCondition, plaintext.Ellipsis)), " ")
	}
	return text
}

// findCondition returns the condition of the verdict's transition. If it is empty, it returns the
// state's criterion for the decision.
func (m *witnessMachine) findCondition(state string, v engine.Verdict) string {
	decision := personas.DecideRedirect
	if v >= 0 {
		t := &m.Transitions[v]
		if t.Condition != "" {
			return t.Condition
		}
		decision = t.Decision
	}
	if criteria := m.criteria[state]; criteria != nil {
		return criteria.Of(string(decision))
	}
	return ""
}
