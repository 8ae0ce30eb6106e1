package prove

import (
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
)

// A chain represents the counts of redirects of one state if every redirect adds the same points,
// d. Between the first redirect and the limit L all counts allow the same verdicts, so only their
// scores matter, not which score belongs to which count: with score s after the first redirect they
// are s, s+d, ... s+(L-2)d. The chain builds each of these sums from jumps of 1, 2, 4 ...
// redirects, each taken or not, and one jump that leads to the limit. A walk within the state can
// be reordered to match the chain, gains first and losses last, and stays alive if it was alive
// before. The last node has one edge for each other verdict, which covers the counts skipped by
// jumps. So a limit costs its logarithm, not its size.

// chainLink is a node's place in a chain.
type chainLink struct {
	jumps []int // the number of redirects of each further jump; empty for the last node
	first bool
}

// leastChain is the least max_redirects that is made a chain.
const leastChain = 4

// maxChainScore bounds the points of all redirects of a chain together.
const maxChainScore = 1 << 50

// sameDelta reports whether all redirects of a state have one delta.
type sameDelta struct {
	delta      int
	met, mixed bool
}

func (d *sameDelta) addDelta(delta int) {
	d.mixed = d.mixed || d.met && d.delta != delta
	d.delta, d.met = delta, true
}

// canChain reports whether a state's counts of redirects may be a chain.
func (g *graph) canChain(state int, d sameDelta) bool {
	limit, _ := g.redirectLimit(state)
	size := max(d.delta, -d.delta)
	return !d.mixed && limit >= leastChain && limit <= maxChainScore/max(size, 1) && !g.doc.States[state].IsTerminal
}

// findChain finds or makes the first node of a state's chain, at one redirect.
func (g *graph) findChain(state int) int {
	key := [2]int{state, 1}
	at, ok := g.nodeByCount[key]
	if !ok {
		limit, _ := g.redirectLimit(state)
		at = len(g.nodes)
		g.nodeByCount[key] = at
		g.nodes = append(g.nodes, node{state: state, redirects: 1, link: &chainLink{jumps: splitJumps(limit - 2), first: true}})
	}
	return at
}

// splitJumps returns jumps that can be added up to every number up to n.
func splitJumps(n int) []int {
	var jumps []int
	for size := 1; n > 0; size *= 2 {
		jumps = append(jumps, min(size, n))
		n -= min(size, n)
	}
	return jumps
}

// listChainEdges returns the edges of a chain's node.
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
		limit, _ := g.redirectLimit(n.state)
		to, _ := g.findNode(n.state, limit)
		edges = append(edges, g.newJump(n.state, to, redirect, limit-1))
	}
	next := len(g.nodes)
	g.nodes = append(g.nodes, node{state: n.state, redirects: 1, link: &chainLink{jumps: n.link.jumps[1:]}})
	return append(edges, g.newJump(n.state, next, redirect, 0), g.newJump(n.state, next, redirect, n.link.jumps[0]))
}

// listOtherEdges returns the edges other than redirects. For the last node it includes the
// redirects, without a target node, because the jumps lead to their targets.
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
			e.to = at // A reject that stays keeps the count.
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

// unchainTraps replaces chains without an end ahead by plain counts, because the count determines
// whether such a state is stuck (see findStuck). It reports whether it found any; then the nodes
// have to be explored again.
func (g *graph) unchainTraps() (found bool) {
	if g.hasNoChain() {
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

func (g *graph) hasNoChain() bool {
	for i := range g.nodes {
		if g.nodes[i].link != nil {
			return false
		}
	}
	return true
}
