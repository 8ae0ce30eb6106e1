package playtest

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// Move is a step on a way through a persona. A move starts its machine after a move in another
// machine, or after the machine has ended.
type Move struct {
	Machine string
	Verdict engine.Verdict
}

// maxStubs is in bytes. The next run writes the rest.
const maxStubs = 1 << 20

// WriteStubs returns a play file that reaches the missing points, or nil if no play is needed.
// Messages are the author's examples with a director's mark, and expectations come from the engine.
// moves returns the moves to a point.
func WriteStubs(persona string, doc *personas.Persona, missing []Point, moves func(Point) []Move) ([]byte, error) {
	rules, err := engine.CompilePersona(doc)
	if err != nil {
		return nil, err
	}
	w := newPlayWriter(doc, rules)
	w.textFor, w.margin = w.exampleFor, "      "
	for _, kind := range []Kind{KindLink, KindOutcome, KindTransition, KindState, KindDecision} {
		for _, p := range missing {
			if p.Kind != kind || w.hits[p] > 0 {
				continue
			}
			before := len(w.out)
			if before > maxStubs {
				continue
			}
			if err := w.writePlay(p, moves(p)); err != nil {
				return nil, err
			}
			if w.hits[p] == 0 { // the way was too long
				w.out = w.out[:before]
			}
		}
	}
	if len(w.out) == 0 {
		return nil, nil
	}
	head := fmt.Sprintf("# Play-throughs for points that no other play-through reaches, "+
		"written by `parley persona test --stubs`.\n"+
		"# Replace what the player says; the marks in [[brackets]] keep the decisions.\n"+
		"persona: %s\nplays:\n", strconv.Quote(persona))
	return append([]byte(head), w.out...), nil
}

type playWriter struct {
	doc   *personas.Persona
	rules *engine.Persona
	hits  Hits
	out   []byte

	names    *Names
	machines map[string]*writtenMachine

	textFor func(engine.Verdict) string
	margin  string // of a step

	machine  string
	session  engine.Session
	unlocked []string
}

type writtenMachine struct {
	doc    *personas.Machine
	states map[string]*personas.State
	places []int // index of each transition in its state
}

func newPlayWriter(doc *personas.Persona, rules *engine.Persona) *playWriter {
	return &playWriter{doc: doc, rules: rules, hits: Hits{}, names: NewNames(doc), machines: map[string]*writtenMachine{}}
}

func (w *playWriter) findMachine() *writtenMachine {
	if m := w.machines[w.machine]; m != nil {
		return m
	}
	m := &writtenMachine{doc: &w.doc.Machines[w.names.machines[w.machine]], states: map[string]*personas.State{}}
	m.places = make([]int, len(m.doc.Transitions))
	for i := range m.doc.States {
		s := &m.doc.States[i]
		m.states[s.Key] = s
		for place, i := range w.rules.Machine(w.machine).Outgoing(s.Key) {
			m.places[i] = place
		}
	}
	w.machines[w.machine] = m
	return m
}

func (w *playWriter) printf(format string, args ...any) { w.out = fmt.Appendf(w.out, format, args...) }

func (w *playWriter) writePlay(p Point, moves []Move) error {
	w.machine, w.unlocked = "", nil
	w.printf("  - name: %s\n    steps:\n", strconv.Quote(w.names.Describe(p)))
	for _, m := range moves {
		if m.Machine != w.machine || w.session.IsFinished() {
			w.writeStart(m.Machine)
		}
		if err := w.writeMessage(m.Verdict); err != nil {
			return fmt.Errorf("the way to %s: %w", w.names.Describe(p), err)
		}
	}
	if p.Kind != KindLink && p.Machine != w.machine { // the start of a machine reaches points without a message
		w.writeStart(p.Machine)
	}
	return nil
}

func (w *playWriter) writeStart(key string) {
	w.machine = key
	w.printf("%s- machine: %s\n", w.margin, strconv.Quote(key))
	if m := w.rules.Machine(key); m != nil {
		w.session = m.Start()
		w.hits.addPoint(Point{Kind: KindState, Machine: key, Name: w.session.State})
	}
}

func (w *playWriter) writeMessage(v engine.Verdict) error {
	m := w.rules.Machine(w.machine)
	if m == nil {
		return fmt.Errorf("there is no machine %q", w.machine)
	}
	step, err := m.Step(w.session, v)
	if err != nil {
		return err
	}
	w.printf("%s- say: %s\n", w.margin, strconv.Quote(w.textFor(v)))
	w.session = step.Session
	decision := string(step.Decision)
	if step.FollowUp || step.Aside {
		decision = None
	}
	w.printf("%s  expect: {decision: %s, state: %s, score: %d",
		w.margin, decision, strconv.Quote(step.Session.State), step.Session.Score)
	if step.FollowUp {
		w.printf(", follow_up: true")
	}
	if step.Aside {
		w.printf(", aside: true")
	}
	w.countReached(&step)
	w.printf("}\n")
	return nil
}

func (w *playWriter) countReached(step *engine.Result) {
	w.hits.addEffect(w.doc, w.machine, effectOf(step))
	if step.Transition >= 0 {
		w.hits.addPoint(Point{Kind: KindTransition, Machine: w.machine, Index: step.Transition})
	}
	if !step.IsCompleted() {
		return
	}
	outcome := step.Session.Outcome
	opened := w.rules.Complete(w.unlocked, w.machine, outcome, step.Session.Score)
	w.unlocked = append(w.unlocked, opened...)
	quoted := make([]string, len(opened))
	for i, key := range opened {
		quoted[i] = strconv.Quote(key)
	}
	w.printf(", outcome: %s, unlocked: %s", outcome, formatKeys(quoted))
}

func (w *playWriter) markFor(v engine.Verdict) string {
	switch v {
	case engine.None:
		return "0" // no transition has the number 0
	case engine.FollowUp:
		return personas.FollowUpName
	case engine.Aside:
		return personas.AsideName
	}
	return strconv.Itoa(w.findMachine().places[int(v)] + 1)
}

func (w *playWriter) exampleFor(verdict engine.Verdict) string {
	m := w.findMachine()
	decision, example := personas.FollowUpName, ""
	switch {
	case verdict == engine.None:
		decision = string(personas.DecideRedirect)
	case verdict == engine.Aside:
		decision = personas.AsideName
	case verdict != engine.FollowUp:
		t := &m.doc.Transitions[int(verdict)]
		decision = string(t.Decision)
		if t.Offline != nil {
			example = firstExample(t.Offline.Examples)
		}
	}
	s := m.states[w.session.State]
	switch {
	case s == nil || s.Offline == nil:
	case verdict == engine.Aside:
		example = firstQuestion(s.Offline.Answers)
	case example == "":
		example = firstExample(s.Offline.Examples.Of(decision))
	}
	return cmp.Or(example, "("+strings.ReplaceAll(decision, "_", " ")+")") + " [[" + w.markFor(verdict) + "]]"
}

func firstExample(examples []personas.Example) string {
	if len(examples) == 0 {
		return ""
	}
	return examples[0].Say
}

func firstQuestion(answers []personas.Answer) string {
	for i := range answers {
		if len(answers[i].Ask) > 0 {
			return answers[i].Ask[0]
		}
	}
	return ""
}
