package prove

import "slices"

// orderNodes returns the nodes in reverse postorder. Values then become stable after few passes.
func (g *graph) orderNodes() []int {
	type visit struct{ node, next int }
	seen := make([]bool, len(g.nodes))
	seen[0] = true
	post := make([]int, 0, len(g.nodes))
	stack := []visit{{0, 0}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		edges := g.nodes[top.node].edges
		if top.next == len(edges) {
			post = append(post, top.node)
			stack = stack[:len(stack)-1]
			continue
		}
		to := edges[top.next].to
		top.next++
		if to >= 0 && !seen[to] {
			seen[to] = true
			stack = append(stack, visit{to, 0})
		}
	}
	slices.Reverse(post)
	return post
}

// scale divides scores by a common unit. Every score of node n is offset[n] plus a multiple of unit.
// offset[n] is the sum of the deltas on a tree path to n.
type scale struct {
	unit   int
	offset []int
}

func (g *graph) newScale(order []int) scale {
	s := scale{offset: make([]int, len(g.nodes))}
	known := make([]bool, len(g.nodes))
	known[0] = true
	for _, n := range order { // after its parent in the tree
		for i := range g.nodes[n].edges {
			if e := &g.nodes[n].edges[i]; e.to >= 0 && !known[e.to] {
				known[e.to] = true
				s.offset[e.to] = s.offset[n] + e.delta
			}
		}
	}
	for n := range g.nodes {
		for i := range g.nodes[n].edges {
			if e := &g.nodes[n].edges[i]; e.to >= 0 {
				s.unit = gcd(s.unit, s.offset[n]+e.delta-s.offset[e.to])
			}
		}
	}
	s.unit = max(s.unit, 1)
	return s
}

func gcd(a, b int) int {
	a, b = max(a, -a), max(b, -b)
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// findPumps chooses a node of every cycle with a positive sum, and returns the sum. Labels grow
// along the edges until the labels are potentials or the edges form a cycle. Sign -1 inverts all
// deltas.
func (g *graph) findPumps(order []int, sign int) []int {
	size := len(g.nodes)
	p := &pumpSearch{
		g: g, sign: sign, found: make([]int, size), label: make([]int, size), parent: make([]int, size),
		gain: make([]int, size), dirty: make([]bool, size), rank: make([]int, size),
	}
	for i, n := range order {
		p.parent[n], p.dirty[n], p.rank[n] = -1, true, i
	}
	p.findSelfLoops()
	for again := true; again && g.spend(len(order)/relaxesPerUnit); {
		again = false
		for _, n := range order {
			if p.dirty[n] {
				p.dirty[n] = false
				again = p.raiseLabels(n) || again
			}
		}
		if again {
			p.breakCycles()
		}
	}
	return p.found
}

type pumpSearch struct {
	g             *graph
	sign          int
	found         []int
	label, parent []int
	gain          []int // of the edge from the parent
	dirty         []bool
	rank          []int // in the order
}

func (p *pumpSearch) findSelfLoops() {
	for n := range p.g.nodes {
		for i := range p.g.nodes[n].edges {
			e := &p.g.nodes[n].edges[i]
			if gain := p.sign * e.delta; e.to == n && gain > 0 && (p.found[n] == 0 || gain < p.found[n]) {
				p.found[n] = gain
			}
		}
	}
}

func (p *pumpSearch) raiseLabels(n int) (raised bool) {
	if p.found[n] != 0 {
		return false
	}
	p.g.spend(1 + len(p.g.nodes[n].edges)/relaxesPerUnit)
	for i := range p.g.nodes[n].edges {
		e := &p.g.nodes[n].edges[i]
		gain := p.sign * e.delta
		if e.to < 0 || e.to == n || p.label[n]+gain <= p.label[e.to] || p.found[e.to] != 0 {
			continue
		}
		p.label[e.to], p.parent[e.to], p.gain[e.to] = p.label[n]+gain, n, gain
		p.dirty[e.to], raised = true, true
		if p.rank[e.to] < p.rank[n] && p.closesCycle(n, e.to) {
			p.breakAt(n)
		}
		if p.found[n] != 0 {
			break
		}
	}
	return raised
}

// closesCycle searches the nearest ancestors of n. A short cycle is broken before its labels grow.
func (p *pumpSearch) closesCycle(n, to int) bool {
	const maxAncestors = 64
	p.g.spend(maxAncestors / checksPerUnit)
	for range maxAncestors {
		if n < 0 || n == to {
			return n == to
		}
		n = p.parent[n]
	}
	return false
}

func (p *pumpSearch) breakCycles() {
	walk := make([]int, len(p.parent)) // number of the walk through each node, from 1
	for start := range p.parent {
		n := start
		for n >= 0 && walk[n] == 0 {
			walk[n] = start + 1
			n = p.parent[n]
		}
		if n >= 0 && walk[n] == start+1 && p.found[n] == 0 {
			p.breakAt(n)
		}
	}
}

// breakAt chooses the node after the lowest partial sum of the cycle through n. The parents lead
// backwards, so the greatest sum marks the node.
func (p *pumpSearch) breakAt(n int) {
	sum, best, at := 0, 0, n
	for m := n; ; {
		sum += p.gain[m]
		m = p.parent[m]
		if m == n {
			break
		}
		if sum > best {
			best, at = sum, m
		}
	}
	p.found[at] = sum
	p.parent[at] = -1
	for i := range p.g.nodes[at].edges {
		if to := p.g.nodes[at].edges[i].to; to >= 0 && p.parent[to] == at {
			p.parent[to] = -1
		}
	}
}
