package graph

import "slices"

// placeSweeps is the number of times that placeCells goes through all ranks.
const placeSweeps = 12

// placeCells computes the x of cells. Each sweep moves the cells of a rank as near as possible to
// their neighbours in the rank that was placed before, without changing their order.
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

// placeRank minimizes the squared distances of a rank's cells to their neighbours. If two cells
// would come too close to each other, they are joined to a block, which is placed as a whole (pool
// adjacent violators).
func (l *layout) placeRank(rank []int, beside func(*cell) []int) {
	type block struct {
		x, weight float64 // x of the first cell
		cells     int
	}
	var blocks []block
	offsets, offset := make([]float64, len(rank)), 0.0 // distances from the first cell, if all are in one block
	for i, c := range rank {
		if i > 0 {
			offset += l.minDistance(rank[i-1], c)
		}
		offsets[i] = offset
		x, weight := l.wantedX(c, beside(&l.cells[c]))
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

// wantedX returns the weighted mean x of a cell's neighbours, and the sum of the weights. Passes
// have the greatest weights, so that they are drawn straight.
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
