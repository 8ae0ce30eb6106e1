package graph

import (
	"math"
	"slices"
)

// shiftCells removes slack from an alignment: it moves aligned cells together in the direction that
// shortens their edges, as far as there is space. It works like the network simplex method on x,
// without its proof of optimality, and never makes a picture worse.
func (l *layout) shiftCells() {
	for range min(40, 400_000/(len(l.cells)+1)) {
		if !l.shiftGroups() {
			return
		}
	}
}

// shiftGroups moves every group once and reports whether one moved.
func (l *layout) shiftGroups() bool {
	group, members := l.groupStraight()
	moved := false
	for g := range members {
		for range 3 { // A group that touches another is moved together with it.
			pull := l.pullOf(group, g, members[g])
			if pull == 0 {
				break
			}
			way := 1.0
			if pull < 0 {
				way = -1
			}
			room, blocker := l.freeRoom(group, g, members[g], way)
			if room > 0.5 {
				for _, c := range members[g] {
					l.cells[c].x += way * room
				}
				moved = true
				break
			}
			if blocker < 0 {
				break
			}
			b := group[blocker]
			for _, c := range members[b] {
				group[c] = g
			}
			members[g], members[b] = append(members[g], members[b]...), nil
		}
	}
	return moved
}

// groupStraight groups cells that are connected straight up and down.
func (l *layout) groupStraight() (group []int, members [][]int) {
	group = make([]int, len(l.cells))
	for c := range group {
		group[c] = -1
	}
	for c := range l.cells {
		if group[c] >= 0 {
			continue
		}
		g := len(members)
		group[c] = g
		all := []int{c}
		for i := 0; i < len(all); i++ {
			at := &l.cells[all[i]]
			for _, n := range slices.Concat(at.up, at.down) {
				if group[n] < 0 && math.Abs(l.cells[n].x-at.x) < 0.5 {
					group[n] = g
					all = append(all, n)
				}
			}
		}
		members = append(members, all)
	}
	return group, members
}

// pullOf returns the weight of the edges that lead out of a group to the right, less
// that of those to the left. Edges that are straight already hold it back.
func (l *layout) pullOf(group []int, g int, cells []int) int {
	right, left, straight := 0, 0, 0
	l.eachOutside(group, g, cells, func(c, n int) {
		switch d := l.cells[n].x - l.cells[c].x; {
		case d > 0.5:
			right += l.pullWeight(c, n)
		case d < -0.5:
			left += l.pullWeight(c, n)
		default:
			straight += l.pullWeight(c, n)
		}
	})
	switch {
	case right > left+straight:
		return 1
	case left > right+straight:
		return -1
	}
	return 0
}

// eachOutside visits the connections that lead out of a group.
func (l *layout) eachOutside(group []int, g int, cells []int, visit func(c, n int)) {
	for _, c := range cells {
		for _, near := range [2][]int{l.cells[c].up, l.cells[c].down} {
			for _, n := range near {
				if group[n] != g {
					visit(c, n)
				}
			}
		}
	}
}

// pullWeight is greater within long edges, to keep them straight.
func (l *layout) pullWeight(a, b int) int {
	x, y := &l.cells[a], &l.cells[b]
	switch {
	case x.edge >= 0 && y.edge >= 0:
		return 8 * l.edges[x.edge].weight
	case x.edge >= 0:
		return 2 * l.edges[x.edge].weight
	case y.edge >= 0:
		return 2 * l.edges[y.edge].weight
	}
	return 1
}

// freeRoom returns how far a group can move until one of its edges is straight, or it touches
// another group, which is then the blocker.
func (l *layout) freeRoom(group []int, g int, cells []int, way float64) (room float64, blocker int) {
	room, blocker = math.Inf(1), -1
	l.eachOutside(group, g, cells, func(c, n int) {
		if d := way * (l.cells[n].x - l.cells[c].x); d > 0.5 && d < room {
			room = d
		}
	})
	for _, c := range cells {
		rank := l.ranks[l.cells[c].rank]
		i := l.cells[c].place + int(way)
		if i < 0 || i >= len(rank) || group[rank[i]] == g {
			continue
		}
		if d := l.gapToNeighbour(c, rank[i], way); d < room {
			room, blocker = max(d, 0), rank[i]
		}
	}
	return room, blocker
}

// gapToNeighbour returns the space between a cell and its neighbour in the direction way.
func (l *layout) gapToNeighbour(c, n int, way float64) float64 {
	a, b := c, n
	if way < 0 {
		a, b = n, c
	}
	return l.cells[b].x - l.cells[a].x - l.cells[a].right - l.gapBetween(a, b) - l.cells[b].left
}
