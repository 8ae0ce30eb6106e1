package graph

// point is a place in a picture; x grows to the right, y downwards.
type point struct{ x, y float64 }

// vertex is an element to place: the input is how far it reaches from its anchor, the output is the
// anchor's place. The anchor is aligned, so that a state with loops on its right is still in line
// with those above it.
type vertex struct {
	left, right float64 // reach to both sides of the anchor
	height      float64
	port        float64 // how far from the anchor edges may be tied on
	at          point   // the anchor, half-way down
}

// edge leads from one vertex to another, never to itself. The size of its label
// goes in; its course and the label's middle come out.
type edge struct {
	from, to      int
	width, height float64 // of the label
	weight        int     // how much it wants to be short and straight
	course        []point // see route
	label         point
}

// gaps are the least distances of a layout.
type gaps struct {
	side, rank float64
}

// cell is an element of a rank: a vertex, or a point that a long edge passes.
type cell struct {
	vertex, edge int // one of them is -1
	left, right  float64
	height       float64
	rank, place  int
	x            float64
	up, down     []int // neighbours in the ranks above and below
}

// layout is the state of a layered graph drawing in the manner of Sugiyama. Vertices are in even
// ranks, labels of edges in odd ones. Every edge has a separate cell in each rank between its ends,
// so that an edge cannot run through a vertex or a label, and two labels cannot meet.
type layout struct {
	gaps     gaps
	vertices []vertex
	edges    []edge
	turned   []bool  // edges that lead upwards
	ranks    [][]int // cells from left to right
	cells    []cell
	chains   [][]int // an edge's cells, from the upper end to the lower
	cellOf   []int   // a vertex's cell
	tops     []float64
	heights  []float64
}

// arrangeGraph places the vertices and routes the edges, and returns the size of the drawing. The
// first vertex is at the top. The layout is deterministic. It returns ErrTooLarge for a graph with
// edges across more ranks than it can lay out.
func arrangeGraph(vertices []vertex, edges []edge, g gaps) (width, height float64, err error) {
	if len(vertices) == 0 {
		return 0, 0, nil
	}
	l := &layout{gaps: g, vertices: vertices, edges: edges}
	l.breakCycles()
	rank := l.findRanks()
	if l.addPassages(rank) > maxPassages {
		return 0, 0, ErrTooLarge
	}
	l.makeCells(rank)
	l.orderRanks()
	l.alignCells()
	width, height = l.routeEdges()
	return width, height, nil
}

// maxPassages bounds the work of a layout: how many ranks all edges together
// may pass.
const maxPassages = 125_000

func (l *layout) addPassages(rank []int) int {
	n := 0
	for e := range l.edges {
		u, v := l.endsOf(e)
		n += 2*(rank[v]-rank[u]) - 1
	}
	return n
}

// breakCycles turns the edges that close a cycle when one walks from the first
// vertex, heavy edges first; then all edges lead down.
func (l *layout) breakCycles() {
	out := l.outgoingEdges()
	l.turned = make([]bool, len(l.edges))
	state := make([]int8, len(l.vertices)) // 1: on the way, 2: done
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
	}
	for v := range l.vertices {
		if state[v] == 0 {
			visit(v)
		}
	}
}

// outgoingEdges lists each vertex's edges, heavy ones first.
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

// endsOf returns the upper and the lower vertex of an edge.
func (l *layout) endsOf(e int) (upper, lower int) {
	if l.turned[e] {
		return l.edges[e].to, l.edges[e].from
	}
	return l.edges[e].from, l.edges[e].to
}
