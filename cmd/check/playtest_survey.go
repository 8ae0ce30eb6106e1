package check

import (
	"errors"
	"fmt"
	"slices"

	"github.com/parley-npc/parley/cmd/cli"
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/playtest"
	"github.com/parley-npc/parley/personas/prove"
)

// survey finds out by proof what there is to cover in a persona, and a way to
// each of it. What is impossible does not count.
func (c *cast) survey() error {
	report, err := prove.Persona(&c.Doc)
	if errors.Is(err, prove.ErrTooWide) {
		c.points = playtest.Points(&c.Doc) // Nothing is known to be impossible.
		return nil
	}
	if err != nil {
		return cli.WrapTrouble(fmt.Errorf("%s: %w", c.Name, err), "")
	}
	s := &survey{doc: &c.Doc, ways: map[playtest.Point]way{}}
	for i := range report.Machines {
		s.machine(&report.Machines[i], &c.Doc.Machines[i])
	}
	for _, l := range report.Links {
		s.put(playtest.Point{Kind: playtest.KindLink, Index: l.Index}, l.CanOpen, func() []playtest.Move { return moves(l.Witness) })
	}
	c.ways = s.ways
	for _, p := range playtest.Points(&c.Doc) {
		if _, possible := s.ways[p]; possible {
			c.points = append(c.points, p)
		} else {
			c.impossible++
		}
	}
	return nil
}

type survey struct {
	doc  *personas.Persona
	ways map[playtest.Point]way
}

// way is how to get to a point. It is written out when it is asked for, since
// the ways of a long machine share most of their length.
type way func() []playtest.Move

func moves(w *prove.Way) []playtest.Move {
	steps := w.Steps()
	all := make([]playtest.Move, len(steps))
	for i, s := range steps {
		all[i] = playtest.Move{Machine: s.Machine, Verdict: s.Verdict}
	}
	return all
}

// put keeps the first way to a point.
func (s *survey) put(p playtest.Point, possible bool, way way) {
	if _, known := s.ways[p]; possible && !known {
		s.ways[p] = way
	}
}

// machine takes over the proofs of one machine, each behind the way to start it.
func (s *survey) machine(m *prove.Machine, doc *personas.Machine) {
	if !m.Available {
		return
	}
	behind := func(w *prove.Way, then ...playtest.Move) way {
		return func() []playtest.Move { return slices.Concat(moves(m.Witness), moves(w), then) }
	}
	for i, state := range m.States {
		s.put(playtest.Point{Kind: playtest.KindState, Machine: m.Key, Name: state.Key}, state.Reachable, behind(state.Witness))
		if state.Plays && playtest.AsksFollowUp(&doc.States[i]) {
			ask := playtest.Move{Machine: m.Key, Verdict: engine.FollowUp}
			s.put(playtest.Point{Kind: playtest.KindDecision, Machine: m.Key, Name: personas.FollowUpName}, true, behind(state.Witness, ask))
		}
	}
	for _, t := range m.Transitions {
		s.put(playtest.Point{Kind: playtest.KindTransition, Machine: m.Key, Index: t.Index}, t.Fires, behind(t.Witness))
		s.put(playtest.Point{Kind: playtest.KindDecision, Machine: m.Key, Name: string(doc.Transitions[t.Index].Decision)}, t.Fires, behind(t.Witness))
	}
	for _, o := range m.Outcomes {
		s.put(playtest.Point{Kind: playtest.KindOutcome, Machine: m.Key, Name: string(o.Outcome)}, o.Reachable, behind(o.Witness))
	}
}
