package graph

import (
	"math"
	"slices"
)

// alignCells computes the x of cells with the algorithm of Brandes and Köpf, which keeps long edges
// straight. It makes four alignments, of cells with their median neighbours above or below, as far
// left or right as possible. The result is the mean of the two middle values.
func (l *layout) alignCells() {
	marked := map[link]bool{}
	for r := 1; r < len(l.ranks); r++ {
		l.markConflicts(r, marked)
	}
	var four [4][]float64
	for i := range four {
		four[i] = l.alignOneWay(marked, i < 2, i%2 == 1)
	}
	l.alignLayouts(&four)
	for c := range l.cells {
		x := []float64{four[0][c], four[1][c], four[2][c], four[3][c]}
		slices.Sort(x)
		l.cells[c].x = (x[1] + x[2]) / 2
	}
}

// link is a segment of an edge between neighbouring ranks.
type link struct{ upper, lower int }

// markConflicts marks the segments above rank r that cross the inner segments of a long edge.
func (l *layout) markConflicts(r int, marked map[link]bool) {
	from, done := 0, 0
	rank := l.ranks[r]
	for i, c := range rank {
		to := len(l.ranks[r-1])
		if inner := l.innerAbove(c); inner >= 0 {
			to = l.cells[inner].place
		} else if i < len(rank)-1 {
			continue
		}
		for ; done <= i; done++ {
			for _, u := range l.cells[rank[done]].up {
				if p := l.cells[u].place; (p < from || p > to) && l.innerAbove(rank[done]) != u {
					marked[link{u, rank[done]}] = true
				}
			}
		}
		from = to
	}
}

// innerAbove returns the cell above if both cells are inner cells of a long edge, or -1.
func (l *layout) innerAbove(c int) int {
	if l.cells[c].edge < 0 || len(l.cells[c].up) == 0 {
		return -1
	}
	if u := l.cells[c].up[0]; l.cells[u].edge >= 0 {
		return u
	}
	return -1
}

func (l *layout) alignOneWay(marked map[link]bool, fromAbove, toRight bool) []float64 {
	ranks := l.copyRanks()
	if !fromAbove {
		slices.Reverse(ranks)
	}
	if toRight {
		for _, rank := range ranks {
			slices.Reverse(rank)
		}
	}
	root := l.joinBlocks(ranks, marked, fromAbove, toRight)
	xs := l.placeBlocks(ranks, root, toRight)
	if toRight {
		for i := range xs {
			xs[i] = -xs[i]
		}
	}
	return xs
}

// joinBlocks groups cells that must have the same x into blocks. The result maps each cell to the
// root of its block.
func (l *layout) joinBlocks(ranks [][]int, marked map[link]bool, fromAbove, toRight bool) []int {
	root, joined := make([]int, len(l.cells)), make([]bool, len(l.cells))
	for c := range root {
		root[c] = c
	}
	place := func(c int) int {
		if toRight {
			return -l.cells[c].place
		}
		return l.cells[c].place
	}
	for _, rank := range ranks {
		last := math.MinInt
		for _, c := range rank {
			for _, m := range l.medianNeighbours(c, fromAbove, toRight) {
				pair := link{m, c}
				if !fromAbove {
					pair = link{c, m}
				}
				if root[c] == c && !joined[m] && last < place(m) && !marked[pair] {
					root[c], joined[m], last = root[m], true, place(m)
				}
			}
		}
	}
	return root
}

func (l *layout) medianNeighbours(c int, fromAbove, toRight bool) []int {
	near := l.cells[c].down
	if fromAbove {
		near = l.cells[c].up
	}
	if len(near) == 0 {
		return nil
	}
	near = slices.Clone(near)
	slices.SortStableFunc(near, func(a, b int) int { return l.cells[a].place - l.cells[b].place })
	two := near[(len(near)-1)/2 : len(near)/2+1]
	if toRight {
		slices.Reverse(two)
	}
	return two
}

// placeBlocks returns the x of each cell. It moves each block as far left as possible, and then the
// blocks with slack to the right.
func (l *layout) placeBlocks(ranks [][]int, root []int, toRight bool) []float64 {
	before, after := make([][]reach, len(l.cells)), make([][]reach, len(l.cells))
	for _, rank := range ranks {
		for i := 1; i < len(rank); i++ {
			a, b := root[rank[i-1]], root[rank[i]]
			d := l.minDistance(rank[i-1], rank[i], toRight)
			before[b] = append(before[b], reach{a, d})
			after[a] = append(after[a], reach{b, d})
		}
	}
	xs := make([]float64, len(l.cells))
	order := orderBlocks(root, before)
	for _, b := range order {
		for _, a := range before[b] {
			xs[b] = max(xs[b], xs[a.block]+a.distance)
		}
	}
	for _, b := range slices.Backward(order) {
		room := math.Inf(1)
		for _, a := range after[b] {
			room = min(room, xs[a.block]-a.distance)
		}
		if !math.IsInf(room, 1) {
			xs[b] = max(xs[b], room)
		}
	}
	for c := range xs {
		xs[c] = xs[root[c]]
	}
	return xs
}

// reach is a neighbouring block and the minimum distance to it.
type reach struct {
	block    int
	distance float64
}

func (l *layout) minDistance(a, b int, toRight bool) float64 {
	if toRight {
		a, b = b, a
	}
	gap := l.gaps.side
	if l.cells[a].vertex < 0 && l.cells[b].vertex < 0 {
		gap /= 3 // Passing edges may be closer.
	}
	return l.cells[a].right + gap + l.cells[b].left
}

func orderBlocks(root []int, before [][]reach) []int {
	var order []int
	seen := make([]bool, len(root))
	var visit func(b int)
	visit = func(b int) {
		if seen[b] {
			return
		}
		seen[b] = true
		for _, a := range before[b] {
			visit(a.block)
		}
		order = append(order, b)
	}
	for _, b := range root {
		visit(b)
	}
	return order
}

// alignLayouts shifts the four alignments to the edges of the narrowest: the left-aligned ones to
// its left edge, the right-aligned ones to its right edge.
func (l *layout) alignLayouts(four *[4][]float64) {
	var low, high [4]float64
	narrow := 0
	for i, xs := range four {
		low[i], high[i] = math.Inf(1), math.Inf(-1)
		for c, x := range xs {
			low[i] = min(low[i], x-l.cells[c].left)
			high[i] = max(high[i], x+l.cells[c].right)
		}
		if high[i]-low[i] < high[narrow]-low[narrow] {
			narrow = i
		}
	}
	for i, xs := range four {
		shift := low[narrow] - low[i]
		if i%2 == 1 {
			shift = high[narrow] - high[i]
		}
		for c := range xs {
			xs[c] += shift
		}
	}
}
