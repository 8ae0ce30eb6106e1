package prove

import (
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// unlisted is said where something is possible, but its shortest way lies
// beyond what is searched or written out.
const unlisted = "possible, but the shortest way there has too many steps to list"

// report writes the machine's proof down.
func (p *proof) report() Machine {
	m := Machine{Key: p.g.doc.Key, Transitions: []Transition{}}
	for i := range p.g.doc.States {
		m.States = append(m.States, p.state(i))
	}
	if p.terms.met {
		m.Peak = new(p.terms.max)
	}
	own := p.own()
	for i := range p.g.doc.Transitions {
		m.Transitions = append(m.Transitions, p.transition(i, own[i]))
	}
	for _, o := range []personas.Outcome{personas.Accept, personas.Reject, personas.KickOut} {
		m.Outcomes = append(m.Outcomes, p.outcome(o))
	}
	return m
}

func (p *proof) state(i int) State {
	at := p.entered[i]
	s := State{Key: p.g.doc.States[i].Key, Reachable: p.stands[i], Plays: p.plays[i]}
	if !s.Reachable {
		s.Reason = p.whyNoState(i)
		return s
	}
	s.Witness, s.Reason = p.witness(at.way, at.ok)
	return s
}

// witness makes a way out of a path, or says why it is not given.
func (p *proof) witness(last *hop, found bool) (*Way, string) {
	if !found {
		return nil, unlisted
	}
	w := &Way{machine: p.g.doc.Key, last: last}
	if w.Len() > MaxSteps {
		return w, unlisted
	}
	return w, ""
}

func (p *proof) any(test func(n int) bool) bool {
	for n := range p.g.nodes {
		if p.scores.live(n) && test(n) {
			return true
		}
	}
	return false
}

// own finds the transitions that fire with their own effect at some node.
func (p *proof) own() []bool {
	own := make([]bool, len(p.g.doc.Transitions))
	for n := range p.g.nodes {
		for i := range p.g.nodes[n].edges {
			if e := &p.g.nodes[n].edges[i]; e.own && p.scores.live(n) {
				own[e.verdict] = true
			}
		}
	}
	return own
}

// transition is played as soon as its state is: there a redirect is still
// within the limit if any is.
func (p *proof) transition(i int, fires bool) Transition {
	t := Transition{Index: i, Fires: fires}
	if !fires {
		t.Reason = p.whyNoTransition(i)
		return t
	}
	at := p.playing[p.g.index[p.g.doc.Transitions[i].From]]
	last := &hop{before: at.way, verdict: engine.Fire(i), times: 1, length: at.length + 1}
	t.Witness, t.Reason = p.witness(last, at.ok)
	return t
}

func (p *proof) outcome(o personas.Outcome) Outcome {
	end := *p.ends[o]
	end.Meant = p.meant(o)
	if !end.Reachable {
		end.Reason = p.whyNoOutcome(o)
		return end
	}
	prune := keepHigher
	if o == personas.Reject {
		prune = keepLower
	}
	last, found := p.shortest(prune, p.cut && o == personas.Reject, o, func(got personas.Outcome, _ int) bool { return got == o })
	end.Witness, end.Reason = p.witness(last, found)
	p.ends[o].Witness = end.Witness
	return end
}

// shortest finds the shortest way to an ending, of that outcome if it is given.
// Unless the bound may be what ends it, only terminal states and forced ends are
// looked for.
func (p *proof) shortest(prune pruning, cut bool, outcome personas.Outcome, wanted func(personas.Outcome, int) bool) (*hop, bool) {
	s := search{g: p.g, prune: prune, goal: func(_ int, e *edge, score int) bool {
		got := p.g.outcomeAt(e, score)
		return got != personas.NoOutcome && wanted(got, score)
	}}
	s.left = p.distances(aim{cut, outcome})
	return s.run()
}

// aim is what a search goes for: endings with an outcome, or with any, and
// whether the bound may be what ends the machine.
type aim struct {
	cut     bool
	outcome personas.Outcome
}

// distances gives the steps to the edges that may be what is aimed at.
func (p *proof) distances(a aim) []int {
	if p.left[a] == nil {
		p.left[a] = p.g.distances(func(_ int, e *edge) bool {
			return a.cut || e.kind == terminal || e.kind == forced && (a.outcome == personas.NoOutcome || a.outcome == e.outcome)
		})
	}
	return p.left[a]
}

// meant tells whether the document has something that is there for an outcome.
func (p *proof) meant(o personas.Outcome) bool {
	row := personas.DecideReject
	switch o {
	case personas.Accept:
		return true
	case personas.KickOut:
		row = personas.DecideKickOut
	}
	for i := range p.g.doc.Transitions {
		if p.g.doc.Transitions[i].Decision == row {
			return true
		}
	}
	for i := range p.g.doc.States {
		if s := &p.g.doc.States[i]; o == personas.Reject && !p.g.scoring && s.IsTerminal && s.Ending() == o {
			return true
		}
	}
	return false
}
