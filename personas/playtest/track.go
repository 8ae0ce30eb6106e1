package playtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/wire"
)

// tracker repeats the engine's steps, because replies do not name the transition that fired.
// Ambiguous transitions are not counted.
type tracker struct {
	subject *Subject
	key     string
	machine *engine.Machine
	doc     *personas.Machine
	session engine.Session
}

func (t *tracker) reset(s *Subject, key string, hits Hits) {
	*t = tracker{subject: s, key: key, machine: s.rules.Machine(key)}
	if t.machine == nil {
		return
	}
	t.doc = s.Doc.Machine(key)
	t.session = t.machine.Start()
	hits.addPoint(Point{Kind: KindState, Machine: key, Name: t.session.State})
}

func (t *tracker) followReply(say string, reply *wire.Reply, hits Hits) string {
	if t.machine == nil {
		return ""
	}
	steps, out := t.consistentSteps(say, reply), t.machine.Outgoing(t.session.State)
	var note string
	if len(steps) == 0 {
		note = "the reply matches no transition of the persona file: " +
			"the service has another version of the persona or other rules"
		t.session = engine.Session{
			State: reply.CurrentState, Score: reply.Score, FollowUpPending: reply.FollowUp && !reply.Aside,
			Outcome: personas.Outcome(wire.TextOf(reply.Outcome)),
		}
		if reply.RedirectCount != nil {
			t.session.Redirects = *reply.RedirectCount
		}
	} else {
		t.session = steps[0].Session
		note = t.countTransition(steps, out, hits)
	}
	hits.addEffect(t.subject.Doc, t.key, replyEffect(reply))
	return note
}

func (t *tracker) consistentSteps(say string, reply *wire.Reply) []engine.Result {
	if v, ok := readMark(t.doc, t.machine, t.session.State, say); ok {
		if step, err := t.machine.Step(t.session, v); err == nil && matchesReply(&step, reply) {
			return []engine.Result{step}
		}
	}
	var steps []engine.Result
	for _, v := range t.machine.Verdicts(t.session.State) {
		step, err := t.machine.Step(t.session, v)
		ok := slices.ContainsFunc(steps, func(s engine.Result) bool { return s.Transition == step.Transition })
		if err == nil && !ok && matchesReply(&step, reply) {
			steps = append(steps, step)
		}
	}
	return steps
}

// CutMark returns the text in double brackets at the end of a message. It orders a decision (see
// docs/persona-file.md).
func CutMark(say string) (mark string, marked bool) {
	rest, marked := strings.CutSuffix(strings.TrimSpace(say), "]]")
	start := strings.LastIndex(rest, "[[")
	if !marked || start < 0 {
		return "", false
	}
	return strings.ToLower(strings.TrimSpace(rest[start+2:])), true
}

func readMark(doc *personas.Machine, machine *engine.Machine, state, say string) (v engine.Verdict, ok bool) {
	mark, marked := CutMark(say)
	out := machine.Outgoing(state)
	switch n, err := strconv.Atoi(mark); {
	case !marked:
		return engine.None, false
	case mark == personas.FollowUpName:
		return engine.FollowUp, true
	case mark == personas.AsideName:
		return engine.Aside, true
	case err == nil && n >= 1 && n <= len(out):
		return engine.Fire(out[n-1]), true
	case err == nil:
		return engine.None, true
	}
	for _, index := range out {
		if string(doc.Transitions[index].Decision) == mark {
			return engine.Fire(index), true
		}
	}
	return engine.None, mark == string(personas.DecideRedirect)
}

func matchesReply(step *engine.Result, reply *wire.Reply) bool {
	s := step.Session
	if effectOf(step) != replyEffect(reply) {
		return false
	}
	return s.IsFinished() || reply.RedirectCount == nil || *reply.RedirectCount == s.Redirects
}

func (t *tracker) countTransition(steps []engine.Result, out []int, hits Hits) string {
	if len(steps) == 1 {
		if i := steps[0].Transition; i >= 0 {
			hits.addPoint(Point{Kind: KindTransition, Machine: t.key, Index: i})
		}
		return ""
	}
	names := make([]string, len(steps))
	for i, step := range steps {
		names[i] = "none"
		if step.Transition >= 0 {
			names[i] = fmt.Sprintf("transitions[%d]", step.Transition)
		}
		if n := slices.Index(out, step.Transition); n >= 0 {
			names[i] += fmt.Sprintf(" (mark [[%d]])", n+1)
		}
	}
	return fmt.Sprintf("the reply does not show which transition of machine %s fired, so none counts as covered: %s",
		t.key, strings.Join(names, " or "))
}

func replyEffect(reply *wire.Reply) Effect {
	e := Effect{
		Decision: wire.TextOf(reply.Decision), State: reply.CurrentState, Score: reply.Score,
		Outcome: wire.TextOf(reply.Outcome),
	}
	switch {
	case reply.Aside:
		e.Decision = personas.AsideName
	case reply.FollowUp:
		e.Decision = personas.FollowUpName
	}
	return e
}
