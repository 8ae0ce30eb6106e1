package graph

import (
	"cmp"
	"math"
	"slices"
)

// point is a position. x increases to the right and y downwards.
type point struct{ x, y float64 }

// vertex is an element to place. Vertices are aligned at their anchors, so loops on the right do
// not shift a state.
type vertex struct {
	left, right float64 // extents on both sides of the anchor
	height      float64
	port        float64 // maximum distance between anchor and edge end
	anchor      point   // anchor, vertically the centre; set by arrangeGraph
}

type edge struct {
	from, to      int
	width, height float64 // size of the label
	weight        int     // importance of a short and straight edge
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

// layout implements layered graph drawing (Sugiyama). Vertices are in even ranks and labels in odd
// ranks. An edge has a cell in every rank between its ends, so edges do not cross vertices or
// labels.
type layout struct {
	gaps     gaps
	vertices []vertex
	edges    []edge
	turned   []bool  // by edge: leads upwards
	ranks    [][]int // by rank: cells from left to right
	cells    []cell
	chains   [][]int // by edge: cells from the upper end to the lower
	cellOf   []int   // by vertex: index in cells
	tops     []float64
	heights  []float64
}

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

const maxPassages = 125_000

// breakCycles reverses edges that close a cycle and returns the vertices from top to bottom. The
// depth-first search follows heavy edges first.
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

func (l *layout) endsOf(edge int) (upper, lower int) {
	if l.turned[edge] {
		return l.edges[edge].to, l.edges[edge].from
	}
	return l.edges[edge].from, l.edges[edge].to
}

func (l *layout) makeCells(rank []int) {
	top := 0
	for _, r := range rank {
		top = max(top, 2*r)
	}
	l.ranks = make([][]int, top+1)
	l.cellOf = make([]int, len(l.vertices))
	for v := range l.vertices {
		box := &l.vertices[v]
		l.cellOf[v] = l.addCell(cell{
			vertex: v, edge: -1, left: box.left, right: box.right, height: box.height, rank: 2 * rank[v],
		})
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

func (l *layout) makeChain(edge int, rank []int) {
	u, v := l.endsOf(edge)
	middle := (rank[u]+rank[v]-1)/2*2 + 1
	chain := []int{l.cellOf[u]}
	for r := 2*rank[u] + 1; r < 2*rank[v]; r++ {
		c := cell{vertex: -1, edge: edge, left: passage, right: passage, rank: r}
		if r == middle {
			c.right += l.edges[edge].width
			c.height = l.edges[edge].height
		}
		chain = append(chain, l.addCell(c))
	}
	chain = append(chain, l.cellOf[v])
	for i := 1; i < len(chain); i++ {
		a, b := chain[i-1], chain[i]
		l.cells[a].down = append(l.cells[a].down, b)
		l.cells[b].up = append(l.cells[b].up, a)
	}
	l.chains[edge] = chain
}

const passage = 4

const sweeps = 8

func (l *layout) orderRanks() {
	l.firstOrder()
	for i := range sweeps {
		l.sweepRanks(i%2 == 0)
	}
}

func (l *layout) firstOrder() {
	ranks := make([][]int, len(l.ranks))
	seen := make([]bool, len(l.cells))
	var visit func(c int)
	visit = func(c int) {
		if seen[c] {
			return
		}
		seen[c] = true
		r := l.cells[c].rank
		ranks[r] = append(ranks[r], c)
		for _, d := range l.cells[c].down {
			visit(d)
		}
	}
	for _, rank := range l.ranks {
		for _, c := range rank {
			visit(c)
		}
	}
	l.setRanks(ranks)
}

func (l *layout) setRanks(ranks [][]int) {
	l.ranks = ranks
	for _, rank := range ranks {
		for place, c := range rank {
			l.cells[c].place = place
		}
	}
}

func (l *layout) sweepRanks(down bool) {
	for i := range l.ranks {
		rank := l.ranks[i]
		if !down {
			rank = l.ranks[len(l.ranks)-1-i]
		}
		mean := make(map[int]float64, len(rank))
		for place, c := range rank {
			near := l.cells[c].up
			if !down {
				near = l.cells[c].down
			}
			mean[c] = float64(place)
			if len(near) > 0 {
				sum := 0
				for _, n := range near {
					sum += l.cells[n].place
				}
				mean[c] = float64(sum) / float64(len(near))
			}
		}
		slices.SortStableFunc(rank, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
		for place, c := range rank {
			l.cells[c].place = place
		}
	}
}

const placeSweeps = 12

func (l *layout) placeCells() {
	for i := range placeSweeps {
		if i > 0 {
			for _, rank := range slices.Backward(l.ranks) {
				l.placeRank(rank, func(c *cell) []int { return c.down })
			}
		}
		for _, rank := range l.ranks {
			l.placeRank(rank, func(c *cell) []int { return c.up })
		}
	}
}

// placeRank minimizes squared distances to the neighbours. Cells that come too close form a block
// (pool adjacent violators).
func (l *layout) placeRank(rank []int, neighbours func(*cell) []int) {
	type block struct {
		x, weight float64 // x of the first cell
		cells     int
	}
	var blocks []block
	offsets, offset := make([]float64, len(rank)), 0.0 // distances from the first cell if all cells are in one block
	for i, c := range rank {
		if i > 0 {
			offset += l.minDistance(rank[i-1], c)
		}
		offsets[i] = offset
		x, weight := l.wantedX(c, neighbours(&l.cells[c]))
		b := block{x - offset, weight, 1}
		for n := len(blocks) - 1; n >= 0 && blocks[n].x > b.x; n-- {
			before := blocks[n]
			blocks = blocks[:n]
			b.x = (b.x*b.weight + before.x*before.weight) / (b.weight + before.weight)
			b.weight, b.cells = b.weight+before.weight, b.cells+before.cells
		}
		blocks = append(blocks, b)
	}
	i := 0
	for _, b := range blocks {
		for range b.cells {
			l.cells[rank[i]].x = b.x + offsets[i]
			i++
		}
	}
}

func (l *layout) wantedX(c int, near []int) (x, weight float64) {
	for _, n := range near {
		e := max(l.cells[c].edge, l.cells[n].edge)
		w := float64(l.edges[e].weight * l.edges[e].weight)
		x, weight = x+l.cells[n].x*w, weight+w
	}
	if weight == 0 {
		return l.cells[c].x, 0.01
	}
	return x / weight, weight
}

func (l *layout) minDistance(a, b int) float64 {
	gap := l.gaps.side
	if l.cells[a].vertex < 0 && l.cells[b].vertex < 0 {
		gap /= 3 // Passing edges may be closer.
	}
	return l.cells[a].right + gap + l.cells[b].left
}

// routeEdges computes courses. A course is a start point, followed by two control points and an end
// point per cubic curve.
func (l *layout) routeEdges() (width, height float64) {
	low, high := math.Inf(1), math.Inf(-1)
	for c := range l.cells {
		low = min(low, l.cells[c].x-l.cells[c].left)
		high = max(high, l.cells[c].x+l.cells[c].right)
	}
	for c := range l.cells {
		l.cells[c].x -= low
	}
	height = l.stackRanks()
	for v := range l.vertices {
		c := &l.cells[l.cellOf[v]]
		l.vertices[v].anchor = point{c.x, l.tops[c.rank] + l.heights[c.rank]/2}
	}
	upper, lower := l.placePorts()
	for e := range l.edges {
		l.drawEdge(e, upper[e], lower[e])
	}
	return high - low, height
}

// stackRanks moves ranks apart if edges run far to the side. The curves then stay steep.
func (l *layout) stackRanks() float64 {
	l.tops, l.heights = make([]float64, len(l.ranks)), make([]float64, len(l.ranks))
	y := 0.0
	for r, rank := range l.ranks {
		far := 0.0
		for _, c := range rank {
			l.heights[r] = max(l.heights[r], l.cells[c].height)
			for _, u := range l.cells[c].up {
				far = max(far, math.Abs(l.cells[c].x-l.cells[u].x))
			}
		}
		if r > 0 {
			y += min(max(l.gaps.rank, far/6), 3*l.gaps.rank)
		}
		l.tops[r] = y
		y += l.heights[r]
	}
	return y
}

func (l *layout) placePorts() (upper, lower []float64) {
	upper, lower = make([]float64, len(l.edges)), make([]float64, len(l.edges))
	below, above := make([][]int, len(l.vertices)), make([][]int, len(l.vertices))
	for e := range l.edges {
		u, v := l.endsOf(e)
		below[u], above[v] = append(below[u], e), append(above[v], e)
	}
	for v := range l.vertices {
		l.spreadPorts(v, below[v], upper, func(chain []int) int { return chain[1] })
		l.spreadPorts(v, above[v], lower, func(chain []int) int { return chain[len(chain)-2] })
	}
	return upper, lower
}

func (l *layout) spreadPorts(v int, edges []int, port []float64, next func([]int) int) {
	slices.SortStableFunc(edges, func(a, b int) int {
		return l.cells[next(l.chains[a])].place - l.cells[next(l.chains[b])].place
	})
	step := min(22, 2*l.vertices[v].port/float64(len(edges)))
	for i, e := range edges {
		port[e] = l.vertices[v].anchor.x + (float64(i)-float64(len(edges)-1)/2)*step
	}
}

func (l *layout) drawEdge(edge int, from, to float64) {
	u, v := l.endsOf(edge)
	end := l.vertices[v].anchor.y - l.vertices[v].height/2
	current := point{from, l.vertices[u].anchor.y + l.vertices[u].height/2}
	course := []point{current}
	for _, c := range l.chains[edge][1:] {
		cell := &l.cells[c]
		r := cell.rank
		x := cell.x
		if cell.vertex >= 0 {
			x = to
		}
		course = addStraight(course, point{current.x, l.tops[r-1] + l.heights[r-1]})
		course = addBend(course, point{x, l.tops[r]})
		current = lastOf(course)
		if cell.height > 0 && cell.vertex < 0 {
			l.edges[edge].label = point{x + passage + l.edges[edge].width/2, l.tops[r] + l.heights[r]/2}
		}
	}
	course = addStraight(course, point{current.x, end})
	if l.turned[edge] {
		slices.Reverse(course)
	}
	l.edges[edge].course = course
}

func addStraight(course []point, to point) []point {
	from := lastOf(course)
	if math.Abs(to.y-from.y) < 0.01 {
		return course
	}
	isAligned := func(p point) bool { return p.x == from.x }
	if n := len(course); n > 3 && isAligned(course[n-4]) && isAligned(course[n-3]) && isAligned(course[n-2]) {
		course = course[:n-3]
		from = lastOf(course)
	}
	third := (to.y - from.y) / 3
	return append(course, point{from.x, from.y + third}, point{to.x, to.y - third}, to)
}

func addBend(course []point, to point) []point {
	from := lastOf(course)
	if from.x == to.x {
		return addStraight(course, to)
	}
	middle := (from.y + to.y) / 2
	return append(course, point{from.x, middle}, point{to.x, middle}, to)
}

func lastOf[T any](s []T) T { return s[len(s)-1] }
