package prove

import (
	"fmt"
	"math"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

const unlisted = "possible, but the shortest way there has too many steps to list"

func (p *machineProof) reportMachine() Machine {
	m := Machine{Key: p.g.doc.Key, Transitions: []Transition{}}
	for i := range p.g.doc.States {
		m.States = append(m.States, p.reportState(i))
	}
	if p.terminalScores.met {
		m.Peak = new(p.terminalScores.high)
	}
	own := make([]bool, len(p.g.doc.Transitions)) // transitions that fire with their own effect
	for n := range p.g.nodes {
		for i := range p.g.nodes[n].edges {
			if e := &p.g.nodes[n].edges[i]; e.isOwn() && p.scores.isLive(n) {
				own[e.verdict] = true
			}
		}
	}
	for i := range p.g.doc.Transitions {
		m.Transitions = append(m.Transitions, p.reportTransition(i, own[i]))
	}
	for _, o := range []personas.Outcome{personas.Accept, personas.Reject, personas.KickOut} {
		m.Outcomes = append(m.Outcomes, p.reportOutcome(o))
	}
	return m
}

func (p *machineProof) reportState(i int) State {
	at := p.firstStanding[i]
	s := State{
		Key: p.g.doc.States[i].Key, Reachable: p.canStand[i], Plays: p.canRun[i],
		WonByReject: p.wonByReject[i], WonOtherwise: p.wonOtherwise[i],
	}
	if !s.Reachable {
		s.Reason = p.whyNoState(i)
		return s
	}
	s.Witness, s.Reason = p.newWitness(at.way, at.ok)
	return s
}

func (p *machineProof) newWitness(last *pathStep, found bool) (*Way, string) {
	if !found {
		return nil, unlisted
	}
	w := &Way{machine: p.g.doc.Key, last: last}
	if w.Len() > MaxSteps {
		return w, unlisted
	}
	return w, ""
}

// reportTransition uses the first node of the state. The lowest count of redirects leaves the most
// redirects.
func (p *machineProof) reportTransition(i int, fires bool) Transition {
	t := Transition{Index: i, Fires: fires, GoesOn: p.goesOn[i]}
	transition := &p.g.doc.Transitions[i]
	from := p.g.index[transition.From]
	switch {
	case !fires && p.canRun[from]:
		t.Reason = fmt.Sprintf("max_redirects of %q is 0, which makes every redirect a reject", transition.From)
		return t
	case !fires:
		t.Reason = fmt.Sprintf("%q %s", transition.From, p.whyIdle(from))
		return t
	}
	at := p.firstRunning[from]
	last := &pathStep{before: at.way, verdict: engine.Fire(i), length: at.way.len() + 1}
	t.Witness, t.Reason = p.newWitness(last, at.ok)
	return t
}

func (p *machineProof) reportOutcome(o personas.Outcome) Outcome {
	end := *p.ends[o]
	end.Meant = p.isMeant(o)
	if !end.Reachable {
		end.Reason = p.whyNoOutcome(o)
		return end
	}
	prune := keepHigher
	if o == personas.Reject {
		prune = keepLower
	}
	isWanted := func(got personas.Outcome, _ int) bool { return got == o }
	last, found := p.findShortest(prune, p.boundCanEnd && o == personas.Reject, o, isWanted)
	end.Witness, end.Reason = p.newWitness(last, found)
	p.ends[o].Witness = end.Witness
	return end
}

func (p *machineProof) findShortest(
	prune pruning, cut bool, outcome personas.Outcome, wanted func(personas.Outcome, int) bool,
) (*pathStep, bool) {
	s := search{g: p.g, prune: prune, goal: func(e *edge, score int) bool {
		got := p.g.outcomeAt(e, score)
		return got != personas.NoOutcome && wanted(got, score)
	}}
	if !cut {
		s.useful = p.g.leadTo(func(_ int, e *edge) bool {
			return e.kind == terminal || e.kind == forced && (outcome == personas.NoOutcome || outcome == e.outcome)
		})
	}
	return s.findWay()
}

func (p *machineProof) isMeant(o personas.Outcome) bool {
	decision := personas.DecideReject
	switch o {
	case personas.Accept:
		return true
	case personas.KickOut:
		decision = personas.DecideKickOut
	}
	for i := range p.g.doc.Transitions {
		if p.g.doc.Transitions[i].Decision == decision {
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

const whyStuck = "nothing from here leads to a terminal state or a kick_out, " +
	"and the score cannot fall to the early_fail_bound"

const whyStuckPassFail = "nothing from here leads to a terminal state, a reject or a kick_out"

// findStuck returns the states where a session may be unable to end. A node that can reach an end
// is never stuck. From other nodes only the bound can end the session.
func (p *machineProof) findStuck() []Stuck {
	ends := p.g.leadTo(func(_ int, e *edge) bool { return e.kind != onward })
	trapped := func(n int) bool { return !ends[n] && p.scores.isLive(n) }
	isAnyTrapped := false
	for n := range p.g.nodes {
		isAnyTrapped = isAnyTrapped || trapped(n)
	}
	if !isAnyTrapped {
		return nil
	}
	fall := p.deepestFalls(ends)
	stuckAt := func(n int, score Score) bool {
		return trapped(n) && fall[n] != noBound && score.addDelta(fall[n]) > Score(p.g.bound)
	}
	waiting := map[int]bool{}
	for n := range p.g.nodes {
		if p.scores.isLive(n) && stuckAt(n, p.scores.greatestScore(n)) {
			waiting[p.g.nodes[n].state] = true
		}
	}
	return p.listStuck(waiting, stuckAt)
}

func (p *machineProof) listStuck(waiting map[int]bool, stuckAt func(int, Score) bool) []Stuck {
	found, left := map[int]*Way{}, len(waiting)
	s := search{g: p.g, onArrival: func(at session) bool {
		state := p.g.nodes[at.node].state
		if waiting[state] && found[state] == nil && stuckAt(at.node, Score(at.score)) {
			found[state] = &Way{machine: p.g.doc.Key, last: at.way}
			left--
		}
		return left == 0
	}}
	if left > 0 {
		s.findWay()
	}
	why := whyStuckPassFail
	if p.g.scoring {
		why = whyStuck
	}
	var list []Stuck
	for i := range p.g.doc.States {
		if waiting[i] {
			list = append(list, Stuck{Machine: p.g.doc.Key, State: p.g.doc.States[i].Key, Reason: why, Witness: found[i]})
		}
	}
	return list
}

// deepestFalls returns the lowest change of the score on any way from each node without an end.
// noBound stands for an unlimited fall.
func (p *machineProof) deepestFalls(ends []bool) []int {
	g, order := p.g, p.scores.order
	sinks := g.findPumps(order, -1)
	sinking := g.leadTo(func(n int, _ *edge) bool { return sinks[n] != 0 })
	fall := make([]int, len(g.nodes))
	for n := range fall {
		fall[n] = math.MaxInt
		if sinking[n] {
			fall[n] = noBound
		}
	}
	for again := true; again && g.spend(len(order)/relaxesPerUnit); {
		again = false
		for _, n := range slices.Backward(order) {
			if !ends[n] && fall[n] != noBound {
				again = p.lowerFall(n, fall) || again
			}
		}
	}
	return fall
}

func (p *machineProof) lowerFall(n int, fall []int) (lowered bool) {
	for i := range p.g.nodes[n].edges {
		e := &p.g.nodes[n].edges[i]
		if v := e.delta + min(0, fall[e.to]); v < fall[n] {
			fall[n], lowered = v, true
		}
	}
	return lowered
}
