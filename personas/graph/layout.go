package graph

// point is a position in a picture. x increases to the right, y downwards.
type point struct{ x, y float64 }

// vertex is an element to place. left, right, height and port are input. at, the position of the
// anchor, is output. Anchors are aligned, so a state with loops on its right is still in line with
// the states above it.
type vertex struct {
	left, right float64 // extents on both sides of the anchor
	height      float64
	port        float64 // maximum distance between the anchor and the end of an edge
	at          point   // position of the anchor; vertically the centre
}

// edge is an edge between two different vertices. course and label are output. The rest is input.
type edge struct {
	from, to      int
	width, height float64 // of the label
	weight        int     // how important it is that the edge is short and straight
	course        []point // see routeEdges
	label         point
}

// gaps are the minimum distances in a layout.
type gaps struct {
	side, rank float64
}

// cell is an element of a rank: a vertex, or a point of a long edge.
type cell struct {
	vertex, edge int // one of them is -1
	left, right  float64
	height       float64
	rank, place  int
	x            float64
	up, down     []int // neighbours in the ranks above and below
}

// layout is the state of a layered graph drawing (Sugiyama's method). Vertices are in even ranks,
// labels of edges in odd ones. Every edge has its own cell in each rank between its ends, so edges
// do not cross vertices or labels, and labels do not overlap.
type layout struct {
	gaps     gaps
	vertices []vertex
	edges    []edge
	turned   []bool  // by edge: whether it leads upwards
	ranks    [][]int // by rank: its cells from left to right
	cells    []cell
	chains   [][]int // by edge: its cells, from the upper end to the lower
	cellOf   []int   // by vertex: its cell
	tops     []float64
	heights  []float64
}

// arrangeGraph places the vertices, routes the edges, and returns the size of the drawing. The
// first vertex is at the top. The layout is deterministic. It returns ErrTooLarge if the edges span
// too many ranks.
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

// maxPassages bounds the work of a layout. It is the maximum total number of ranks that edges may
// pass through.
const maxPassages = 125_000

func (l *layout) addPassages(rank []int) int {
	n := 0
	for e := range l.edges {
		u, v := l.endsOf(e)
		n += 2*(rank[v]-rank[u]) - 1
	}
	return n
}

// breakCycles reverses the edges that close a cycle. It searches depth-first from the first vertex
// and follows heavy edges first. Afterwards all edges lead down.
func (l *layout) breakCycles() {
	out := l.outgoingEdges()
	l.turned = make([]bool, len(l.edges))
	state := make([]int8, len(l.vertices)) // 1: in progress, 2: done
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

// outgoingEdges returns each vertex's outgoing edges, heavy ones first.
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
