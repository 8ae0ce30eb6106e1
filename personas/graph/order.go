package graph

import (
	"cmp"
	"slices"
)

// sweeps is the number of times that orderRanks goes through all ranks.
const sweeps = 8

// orderRanks orders every rank so that few edges cross. In each sweep, downwards or upwards, it
// sorts the cells of a rank by the mean place of their neighbours.
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
