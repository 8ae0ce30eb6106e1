package graph

import (
	"math"
	"slices"
)

// routeEdges sets the y of vertices and the courses of edges, and returns the size. A course is a
// start point followed by three points for each cubic curve. These are two control points and the
// end point.
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
		l.vertices[v].at = point{c.x, l.tops[c.rank] + l.heights[c.rank]/2}
	}
	upper, lower := l.placePorts()
	for e := range l.edges {
		l.drawEdge(e, upper[e], lower[e])
	}
	return high - low, height
}

// stackRanks sets the y of the ranks. Ranks are further apart if edges between them run far to the
// side, so that the curves stay steep.
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
		port[e] = l.vertices[v].at.x + (float64(i)-float64(len(edges)-1)/2)*step
	}
}

func (l *layout) drawEdge(e int, from, to float64) {
	u, v := l.endsOf(e)
	end := l.vertices[v].at.y - l.vertices[v].height/2
	at := point{from, l.vertices[u].at.y + l.vertices[u].height/2}
	course := []point{at}
	for _, c := range l.chains[e][1:] {
		cell := &l.cells[c]
		r := cell.rank
		x := cell.x
		if cell.vertex >= 0 {
			x = to
		}
		course = addStraight(course, point{at.x, l.tops[r-1] + l.heights[r-1]})
		course = addBend(course, point{x, l.tops[r]})
		at = lastOf(course)
		if cell.height > 0 && cell.vertex < 0 {
			l.edges[e].label = point{x + passage + l.edges[e].width/2, l.tops[r] + l.heights[r]/2}
		}
	}
	course = addStraight(course, point{at.x, end})
	if l.turned[e] {
		slices.Reverse(course)
	}
	l.edges[e].course = course
}

func addStraight(course []point, to point) []point {
	from := lastOf(course)
	if math.Abs(to.y-from.y) < 0.01 {
		return course
	}
	if n := len(course); n > 3 && course[n-4].x == from.x && course[n-3].x == from.x && course[n-2].x == from.x {
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
