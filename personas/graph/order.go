package graph

import (
	"cmp"
	"slices"
)

// orderRanks orders every rank so that few edges cross. In each sweep, downwards or upwards, it
// sorts the cells of a rank by the mean place of their neighbours. It uses the best order of all
// sweeps. Large graphs get fewer sweeps.
func (l *layout) orderRanks() {
	l.firstOrder()
	best, least := l.copyRanks(), l.countCrossings()
	sweeps := min(24, 200_000/(len(l.cells)+1)+2)
	for i := 0; i < sweeps && least > 0; i++ {
		l.sweepRanks(i%2 == 0)
		if n := l.countCrossings(); n < least {
			best, least = l.copyRanks(), n
		}
	}
	l.setRanks(best)
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

func (l *layout) copyRanks() [][]int {
	ranks := make([][]int, len(l.ranks))
	for r := range l.ranks {
		ranks[r] = slices.Clone(l.ranks[r])
	}
	return ranks
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

// countCrossings counts the crossings with a Fenwick tree over the positions of the lower rank.
func (l *layout) countCrossings() int {
	total := 0
	for r := 1; r < len(l.ranks); r++ {
		sums := make([]int, len(l.ranks[r])+1)
		passed := 0
		for _, c := range l.ranks[r-1] {
			var places []int
			for _, d := range l.cells[c].down {
				places = append(places, l.cells[d].place)
			}
			slices.Sort(places)
			for _, p := range places {
				total += passed
				for i := p + 1; i > 0; i -= i & -i {
					total -= sums[i]
				}
				// Edges of the same cell never cross, and neither do edges with the same lower end.
				for i := p + 1; i < len(sums); i += i & -i {
					sums[i]++
				}
				passed++
			}
		}
	}
	return total
}
