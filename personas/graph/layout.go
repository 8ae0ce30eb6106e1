package graph

import "slices"

// point is a position in a picture. x increases to the right, y downwards.
type point struct{ x, y float64 }

// vertex is an element to place. Vertices are aligned at their anchors, so a state with loops on
// its right is still in line with the states above it.
type vertex struct {
	left, right float64 // extents on both sides of the anchor
	height      float64
	port        float64 // maximum distance between the anchor and the end of an edge
	at          point   // position of the anchor, vertically the centre; set by arrangeGraph
}

// edge is an edge between two different vertices.
type edge struct {
	from, to      int
	width, height float64 // of the label
	weight        int     // how important a short and straight edge is
	course        []point // set by arrangeGraph; see routeEdges
	label         point   // set by arrangeGraph
}

type gaps struct {
	side, rank float64
}

type cell struct {
	vertex, edge int // -1 for a cell of the other kind
	left, right  float64
	height       float64
	rank, place  int
	x            float64
	up, down     []int // neighbours in the ranks above and below
}

// layout is the state of a layered graph drawing (Sugiyama's method). Vertices are in even ranks.
// Labels of edges are in odd ranks. Every edge has a cell in each rank between its ends, so edges
// do not cross vertices or labels.
type layout struct {
	gaps     gaps
	vertices []vertex
	edges    []edge
	turned   []bool  // by edge: whether the edge leads upwards
	ranks    [][]int // by rank: the cells from left to right
	cells    []cell
	chains   [][]int // by edge: the cells from the upper end to the lower
	cellOf   []int   // by vertex: the index in cells
	tops     []float64
	heights  []float64
}

// arrangeGraph places the vertices and routes the edges. The first vertex is at the top. It returns
// the size of the drawing. It returns ErrTooLarge if the edges span too many ranks.
func arrangeGraph(vertices []vertex, edges []edge, g gaps) (width, height float64, err error) {
	if len(vertices) == 0 {
		return 0, 0, nil
	}
	l := &layout{gaps: g, vertices: vertices, edges: edges}
	rank := l.findRanks()
	passages := 0
	for e := range edges {
		u, v := l.endsOf(e)
		passages += 2*(rank[v]-rank[u]) - 1
	}
	if passages > maxPassages {
		return 0, 0, ErrTooLarge
	}
	l.makeCells(rank)
	l.orderRanks()
	l.placeCells()
	width, height = l.routeEdges()
	return width, height, nil
}

// maxPassages is the maximum total number of ranks that edges may pass through.
const maxPassages = 125_000

// breakCycles reverses the edges that close a cycle, so that all edges lead down. It searches
// depth-first from the first vertex and follows heavy edges first. It returns the vertices from top
// to bottom. Every edge then leads from an earlier vertex to a later one.
func (l *layout) breakCycles() []int {
	out := l.outgoingEdges()
	l.turned = make([]bool, len(l.edges))
	state := make([]int8, len(l.vertices)) // 1: in progress, 2: done
	var order []int
	var visit func(v int)
	visit = func(v int) {
		state[v] = 1
		for _, e := range out[v] {
			switch to := l.edges[e].to; state[to] {
			case 0:
				visit(to)
			case 1:
				l.turned[e] = true
			}
		}
		state[v] = 2
		order = append(order, v)
	}
	for v := range l.vertices {
		if state[v] == 0 {
			visit(v)
		}
	}
	slices.Reverse(order)
	return order
}

// findRanks returns the rank of each vertex, which is the length of the longest path to it from the
// top.
func (l *layout) findRanks() []int {
	below := make([][]int, len(l.vertices))
	order := l.breakCycles()
	for e := range l.edges {
		upper, lower := l.endsOf(e)
		below[upper] = append(below[upper], lower)
	}
	rank := make([]int, len(l.vertices))
	for _, v := range order {
		for _, w := range below[v] {
			rank[w] = max(rank[w], rank[v]+1)
		}
	}
	return rank
}

func (l *layout) outgoingEdges() [][]int {
	out := make([][]int, len(l.vertices))
	for _, heavy := range []bool{true, false} {
		for e := range l.edges {
			if (l.edges[e].weight > 1) == heavy {
				out[l.edges[e].from] = append(out[l.edges[e].from], e)
			}
		}
	}
	return out
}

func (l *layout) endsOf(e int) (upper, lower int) {
	if l.turned[e] {
		return l.edges[e].to, l.edges[e].from
	}
	return l.edges[e].from, l.edges[e].to
}

// makeCells fills the ranks with a cell for each vertex and, for each edge, a cell in every rank
// between its ends. The middle cell of an edge holds the label.
func (l *layout) makeCells(rank []int) {
	top := 0
	for _, r := range rank {
		top = max(top, 2*r)
	}
	l.ranks = make([][]int, top+1)
	l.cellOf = make([]int, len(l.vertices))
	for v := range l.vertices {
		box := &l.vertices[v]
		l.cellOf[v] = l.addCell(cell{vertex: v, edge: -1, left: box.left, right: box.right, height: box.height, rank: 2 * rank[v]})
	}
	l.chains = make([][]int, len(l.edges))
	for e := range l.edges {
		l.makeChain(e, rank)
	}
	for c := range l.cells {
		r := l.cells[c].rank
		l.cells[c].place = len(l.ranks[r])
		l.ranks[r] = append(l.ranks[r], c)
	}
}

func (l *layout) addCell(c cell) int {
	l.cells = append(l.cells, c)
	return len(l.cells) - 1
}

func (l *layout) makeChain(e int, rank []int) {
	u, v := l.endsOf(e)
	middle := (rank[u]+rank[v]-1)/2*2 + 1
	chain := []int{l.cellOf[u]}
	for r := 2*rank[u] + 1; r < 2*rank[v]; r++ {
		c := cell{vertex: -1, edge: e, left: passage, right: passage, rank: r}
		if r == middle {
			// The line passes at the left edge of the label.
			c.right += l.edges[e].width
			c.height = l.edges[e].height
		}
		chain = append(chain, l.addCell(c))
	}
	chain = append(chain, l.cellOf[v])
	for i := 1; i < len(chain); i++ {
		a, b := chain[i-1], chain[i]
		l.cells[a].down = append(l.cells[a].down, b)
		l.cells[b].up = append(l.cells[b].up, a)
	}
	l.chains[e] = chain
}

const passage = 4
