package graph

import (
	"cmp"
	"slices"
)

// orderRanks orders every rank so that few edges cross: it sweeps by medians, swaps neighbours, and
// uses the best order found. Large graphs get fewer sweeps.
func (l *layout) orderRanks() {
	l.firstOrder()
	best, least := l.copyRanks(), l.countCrossings()
	sweeps := min(24, 200_000/(len(l.cells)+1)+2)
	for i := 0; i < sweeps && least > 0; i++ {
		l.sweepRanks(i%2 == 0)
		l.swapNeighbours()
		if n := l.countCrossings(); n < least {
			best, least = l.copyRanks(), n
		}
	}
	l.restoreRanks(best)
}

// firstOrder orders the cells by a depth-first walk from the top, which puts connected cells side
// by side.
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
	l.restoreRanks(ranks)
}

func (l *layout) copyRanks() [][]int {
	ranks := make([][]int, len(l.ranks))
	for r := range l.ranks {
		ranks[r] = slices.Clone(l.ranks[r])
	}
	return ranks
}

func (l *layout) restoreRanks(ranks [][]int) {
	l.ranks = ranks
	for _, rank := range ranks {
		l.numberCells(rank)
	}
}

func (l *layout) numberCells(rank []int) {
	for place, c := range rank {
		l.cells[c].place = place
	}
}

func (l *layout) sweepRanks(down bool) {
	for i := range l.ranks {
		if down {
			l.byMedians(l.ranks[i], func(c *cell) []int { return c.up })
		} else {
			l.byMedians(l.ranks[len(l.ranks)-1-i], func(c *cell) []int { return c.down })
		}
	}
}

// byMedians sorts the cells that have neighbours. The other cells keep their positions.
func (l *layout) byMedians(rank []int, beside func(*cell) []int) {
	medians := map[int]float64{}
	var movable, places []int
	for place, c := range rank {
		if near := beside(&l.cells[c]); len(near) > 0 {
			medians[c] = l.weightedMedian(near)
			movable, places = append(movable, c), append(places, place)
		}
	}
	slices.SortStableFunc(movable, func(a, b int) int { return cmp.Compare(medians[a], medians[b]) })
	for i, place := range places {
		rank[place] = movable[i]
	}
	l.numberCells(rank)
}

// weightedMedian returns the weighted median of the neighbours' positions. For an even number of
// neighbours it is closer to the denser side.
func (l *layout) weightedMedian(near []int) float64 {
	p := l.placesOf(near)
	m := len(p) / 2
	if len(p)%2 == 1 {
		return float64(p[m])
	}
	left, right := p[m-1]-p[0], p[len(p)-1]-p[m]
	if left+right == 0 {
		return float64(p[m-1]+p[m]) / 2
	}
	return float64(p[m-1]*right+p[m]*left) / float64(left+right)
}

func (l *layout) placesOf(cells []int) []int {
	p := make([]int, len(cells))
	for i, c := range cells {
		p[i] = l.cells[c].place
	}
	slices.Sort(p)
	return p
}

func (l *layout) swapNeighbours() {
	for improved, rounds := true, 0; improved && rounds < 6; rounds++ {
		improved = false
		for _, rank := range l.ranks {
			for i := 1; i < len(rank); i++ {
				x, y := &l.cells[rank[i-1]], &l.cells[rank[i]]
				if l.crossingsSaved(x.up, y.up)+l.crossingsSaved(x.down, y.down) > 0 {
					rank[i-1], rank[i] = rank[i], rank[i-1]
					l.cells[rank[i-1]].place, l.cells[rank[i]].place = i-1, i
					improved = true
				}
			}
		}
	}
}

// crossingsSaved returns by how much the number of crossings decreases if a cell with neighbours b
// moves before a cell with neighbours a.
func (l *layout) crossingsSaved(a, b []int) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	gain, below, upTo := 0, 0, 0
	others := l.placesOf(b)
	for _, x := range l.placesOf(a) {
		for below < len(others) && others[below] < x {
			below++
		}
		for upTo < len(others) && others[upTo] <= x {
			upTo++
		}
		gain += below - (len(others) - upTo)
	}
	return gain
}

// countCrossings counts the crossings with a Fenwick tree over the positions of the lower rank.
func (l *layout) countCrossings() int {
	total := 0
	for r := 1; r < len(l.ranks); r++ {
		sums := make([]int, len(l.ranks[r])+1)
		passed := 0
		for _, c := range l.ranks[r-1] {
			for _, p := range l.placesOf(l.cells[c].down) {
				total += passed - sumTo(sums, p)
				passed++
				// Edges of the same cell never cross, and neither do edges with the same lower end.
				addAt(sums, p)
			}
		}
	}
	return total
}

func sumTo(sums []int, place int) int {
	n := 0
	for i := place + 1; i > 0; i -= i & -i {
		n += sums[i]
	}
	return n
}

func addAt(sums []int, place int) {
	for i := place + 1; i < len(sums); i += i & -i {
		sums[i]++
	}
}
