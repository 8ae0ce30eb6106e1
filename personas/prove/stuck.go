package prove

import (
	"math"
	"slices"
)

const whyStuck = "nothing from here leads to a terminal state or a kick_out, and the score cannot fall to the early_fail_bound"

const whyStuckPassFail = "nothing from here leads to a terminal state, a reject or a kick_out"

// findStuck returns the states where a running session may be unable to end. A node that can reach
// an end is never stuck. On the way to the end, the bound may end the session, and otherwise the
// session arrives at the end. From any other node only the bound can end the session. The bound
// cannot end it if the greatest score plus the lowest possible change is above the bound.
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

// deepestFalls returns, for nodes that cannot reach an end, the lowest change of the score on any
// way of at least one step. It is noBound if a cycle lowers the score without limit.
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
	for again := true; again && g.work >= 0; {
		again = false
		g.work -= len(order) / 4
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
