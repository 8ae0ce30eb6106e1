package graph

// findRanks assigns a rank to each vertex: the length of the longest path from the top. Then it
// moves vertices between the ranks of their neighbours as long as that shortens edges.
func (l *layout) findRanks() []int {
	above, below := make([][]arc, len(l.vertices)), make([][]arc, len(l.vertices))
	for e := range l.edges {
		u, v := l.endsOf(e)
		below[u] = append(below[u], arc{v, l.edges[e].weight})
		above[v] = append(above[v], arc{u, l.edges[e].weight})
	}
	rank := l.longestWays(above, below)
	for range 8 {
		if !shortenEdges(rank, above, below) {
			break
		}
	}
	return rank
}

// arc is one end of an edge, as seen from the other end.
type arc struct{ vertex, weight int }

func (l *layout) longestWays(above, below [][]arc) []int {
	rank, waiting := make([]int, len(l.vertices)), make([]int, len(l.vertices))
	var ready []int
	for v := range l.vertices {
		if waiting[v] = len(above[v]); waiting[v] == 0 {
			ready = append(ready, v)
		}
	}
	for len(ready) > 0 {
		v := ready[0]
		ready = ready[1:]
		for _, a := range below[v] {
			rank[a.vertex] = max(rank[a.vertex], rank[v]+1)
			if waiting[a.vertex]--; waiting[a.vertex] == 0 {
				ready = append(ready, a.vertex)
			}
		}
	}
	return rank
}

// shortenEdges moves vertices towards the side on which they have more edges. It leaves the first
// vertex at the top.
func shortenEdges(rank []int, above, below [][]arc) bool {
	moved := false
	for v := 1; v < len(rank); v++ {
		pull, low, high := 0, 0, rank[v]
		for _, a := range above[v] {
			low = max(low, rank[a.vertex]+1)
			pull -= a.weight
		}
		if len(below[v]) > 0 {
			high = rank[below[v][0].vertex] - 1
		}
		for _, a := range below[v] {
			high = min(high, rank[a.vertex]-1)
			pull += a.weight
		}
		to := rank[v]
		if pull > 0 {
			to = high
		} else if pull < 0 {
			to = low
		}
		moved = moved || to != rank[v]
		rank[v] = to
	}
	return moved
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

// passage is half the width of a passing edge.
const passage = 4
