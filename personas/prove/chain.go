package prove

import (
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"slices"
)

// A chain represents the counts of redirects in one state if every redirect adds the same number of
// points, d. Between the first redirect and the limit L all counts allow the same verdicts, so only
// the set of their scores matters. With the score s after the first redirect these scores are s,
// s+d, ..., s+(L-2)d. The chain builds each of these sums from optional jumps of 1, 2, 4, ...
// redirects. One more jump leads to the limit. A walk within the state can be reordered to follow
// the chain, with gains first and losses last; if it was above the bound before, it still is. The
// last node has an edge for each other verdict, for the counts that jumps skip. So the cost of a
// limit is only its logarithm.

// chainLink is the position of a node in a chain.
type chainLink struct {
	jumps []int // number of redirects of each further jump; empty for the last node
	first bool
}

// minChain is the minimum of max_redirects for which a chain is used.
const minChain = 4

// maxChainScore is the maximum number of points of all redirects of a chain together.
const maxChainScore = 1 << 50

type sameDelta struct {
	delta      int
	met, mixed bool
}

func (g *graph) canChain(state int, d sameDelta) bool {
	limit := g.redirectLimit(state)
	size := max(d.delta, -d.delta)
	return !d.mixed && limit >= minChain && limit <= maxChainScore/max(size, 1) && !g.doc.States[state].IsTerminal
}

func (g *graph) findChain(state int) int {
	key := [2]int{state, 1}
	at, ok := g.nodeByCount[key]
	if !ok {
		limit := g.redirectLimit(state)
		var jumps []int // partial sums include every number up to limit-2
		for size, left := 1, limit-2; left > 0; size *= 2 {
			jumps = append(jumps, min(size, left))
			left -= min(size, left)
		}
		at = len(g.nodes)
		g.nodeByCount[key] = at
		g.nodes = append(g.nodes, node{state: state, redirects: 1, link: &chainLink{jumps: jumps, first: true}})
	}
	return at
}

func (g *graph) listChainEdges(at int) []edge {
	n := g.nodes[at]
	var edges []edge
	last := len(n.link.jumps) == 0
	if n.link.first || last {
		edges = g.listOtherEdges(at, last)
	}
	if last {
		return edges
	}
	redirect := g.firstRedirect(n.state)
	if n.link.first {
		limit := g.redirectLimit(n.state)
		to, _ := g.findNode(n.state, limit)
		edges = append(edges, g.newJump(n.state, to, redirect, limit-1))
	}
	next := len(g.nodes)
	g.nodes = append(g.nodes, node{state: n.state, redirects: 1, link: &chainLink{jumps: n.link.jumps[1:]}})
	return append(edges, g.newJump(n.state, next, redirect, 0), g.newJump(n.state, next, redirect, n.link.jumps[0]))
}

// listOtherEdges returns the edges that are not redirects. For the last node it adds the redirects
// without a target node, because the jumps lead to their targets.
func (g *graph) listOtherEdges(at int, redirects bool) []edge {
	n := g.nodes[at]
	var edges []edge
	for _, i := range g.machine.Outgoing(g.doc.States[n.state].Key) {
		isRedirect := g.doc.Transitions[i].Decision == personas.DecideRedirect
		if isRedirect && !redirects {
			continue
		}
		e := g.tryVerdict(node{state: n.state, redirects: 1}, engine.Fire(i))
		switch {
		case isRedirect:
			e.to, e.times = -1, 1
		case e.to >= 0 && g.nodes[e.to].link != nil && g.nodes[e.to].state == n.state:
			e.to = at // A reject that does not leave the state retains the count.
		}
		edges = append(edges, e)
	}
	return edges
}

func (g *graph) firstRedirect(state int) int {
	for _, i := range g.machine.Outgoing(g.doc.States[state].Key) {
		if g.doc.Transitions[i].Decision == personas.DecideRedirect {
			return i
		}
	}
	return -1
}

func (g *graph) newJump(state, to, redirect, times int) edge {
	return edge{to: to, state: state, delta: times * g.doc.Transitions[redirect].ScoreDelta, verdict: engine.Fire(redirect), times: times, jump: true}
}

// unchainTraps replaces each chain that cannot lead to an end by separate counts, because the count
// determines whether its state is stuck (see findStuck). If found is true, the nodes must be
// explored again.
func (g *graph) unchainTraps() (found bool) {
	if !slices.ContainsFunc(g.nodes, func(n node) bool { return n.link != nil }) {
		return false
	}
	ahead := g.distancesToGoal(func(_ int, e *edge) bool { return e.kind != onward })
	for i := range g.nodes {
		if n := &g.nodes[i]; n.link != nil && n.link.first && ahead[i] == never {
			g.countingOf[n.state], found = countAll, true
		}
	}
	return found
}
