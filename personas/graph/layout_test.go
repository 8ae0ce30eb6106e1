package graph

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/parley-npc/parley/personas/assert"
)

type rect struct{ left, top, right, bottom float64 }

func (a rect) overlaps(b rect) bool {
	const touch = 0.01
	return a.left < b.right-touch && b.left < a.right-touch && a.top < b.bottom-touch && b.top < a.bottom-touch
}

func (v vertex) rectOf() rect {
	return rect{v.anchor.x - v.left, v.anchor.y - v.height/2, v.anchor.x + v.right, v.anchor.y + v.height/2}
}

func (e edge) rectOf() rect {
	return rect{e.label.x - e.width/2, e.label.y - e.height/2, e.label.x + e.width/2, e.label.y + e.height/2}
}

func drawGraph(t *rapid.T) ([]vertex, []edge) {
	n := rapid.IntRange(1, 30).Draw(t, "vertices")
	vertices := make([]vertex, n)
	for i := range vertices {
		w := float64(rapid.IntRange(30, 120).Draw(t, "width"))
		beside, height := rapid.IntRange(0, 80).Draw(t, "beside"), rapid.IntRange(20, 90).Draw(t, "height")
		vertices[i] = vertex{left: w, right: w + float64(beside), height: float64(height), port: w - 12}
	}
	var edges []edge
	for range rapid.IntRange(0, 3*n).Draw(t, "edges") {
		e := edge{from: rapid.IntRange(0, n-1).Draw(t, "from"), to: rapid.IntRange(0, n-1).Draw(t, "to"), weight: rapid.IntRange(1, 3).Draw(t, "weight")}
		if rapid.Bool().Draw(t, "labelled") {
			e.width, e.height = float64(rapid.IntRange(10, 90).Draw(t, "label")), 15
		}
		if e.from != e.to {
			edges = append(edges, e)
		}
	}
	return vertices, edges
}

// TestNothingOverlaps: vertices, labels and foreign edges do not overlap, and everything is in the picture.
func TestNothingOverlaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertices, edges := drawGraph(t)
		again, edgesAgain := append([]vertex(nil), vertices...), append([]edge(nil), edges...)
		w, h, err := arrangeGraph(vertices, edges, gaps{side: 20, rank: 20})
		assert.NoError(t, err)
		checkRects(t, vertices, edges, w, h)
		checkCourses(t, vertices, edges)
		_, _, err = arrangeGraph(again, edgesAgain, gaps{side: 20, rank: 20})
		if err != nil || !reflect.DeepEqual(vertices, again) || !reflect.DeepEqual(edges, edgesAgain) {
			t.Fatal("the same graph gives another layout")
		}
	})
}

func checkRects(t *rapid.T, vertices []vertex, edges []edge, w, h float64) {
	var all []rect
	for i := range vertices {
		all = append(all, vertices[i].rectOf())
	}
	for i := range edges {
		if edges[i].height > 0 {
			all = append(all, edges[i].rectOf())
		}
	}
	for i, a := range all {
		assert.Must(t, !math.IsNaN(a.left) && a.left >= -0.01 && a.top >= -0.01 && a.right <= w+0.01 && a.bottom <= h+0.01, "%v is outside of %v × %v", a, w, h)
		for _, b := range all[:i] {
			assert.Must(t, !a.overlaps(b), "%v and %v overlap", a, b)
		}
	}
}

func checkCourses(t *rapid.T, vertices []vertex, edges []edge) {
	for _, e := range edges {
		line := flattenCourse(e.course)
		for i, v := range vertices {
			box := v.rectOf()
			if i == e.from || i == e.to {
				continue
			}
			for _, p := range line {
				inner := rect{box.left + 0.5, box.top + 0.5, box.right - 0.5, box.bottom - 0.5}
				assert.Must(t, !(rect{p.x, p.y, p.x, p.y}).overlaps(inner), "the edge from %d to %d runs through vertex %d", e.from, e.to, i)
			}
		}
		for end, v := range map[point]vertex{line[0]: vertices[e.from], lastOf(line): vertices[e.to]} {
			distance := math.Abs(math.Abs(end.y-v.anchor.y) - v.height/2)
			assert.Must(t, distance <= 0.01, "the edge from %d to %d ends above or below its vertex", e.from, e.to)
			assert.Must(t, math.Abs(end.x-v.anchor.x) <= v.port+0.01,
				"the edge from %d to %d ends beside its vertex", e.from, e.to)
		}
	}
}

// countCrossed arranges a graph and returns the number of crossings.
func countCrossed(n int, pairs [][2]int) int {
	l := &layout{gaps: gaps{20, 20}}
	for range n {
		l.vertices = append(l.vertices, vertex{left: 40, right: 40, height: 30, port: 30})
	}
	for _, p := range pairs {
		l.edges = append(l.edges, edge{from: p[0], to: p[1], weight: 1})
	}
	l.makeCells(l.findRanks())
	l.orderRanks()
	crossed := 0
	for _, rank := range l.ranks {
		var passed []int // places of the lower ends so far
		for _, c := range rank {
			before := len(passed)
			for _, d := range l.cells[c].down {
				for _, place := range passed[:before] {
					if place > l.cells[d].place {
						crossed++
					}
				}
				passed = append(passed, l.cells[d].place)
			}
		}
	}
	return crossed
}

// TestPlainGraphsDoNotCross: graphs that can be drawn in layers without crossings are drawn without.
func TestPlainGraphsDoNotCross(t *testing.T) {
	tree, ladder, cycle := [][2]int{}, [][2]int{}, [][2]int{}
	for i := 1; i < 40; i++ {
		tree = append(tree, [2]int{(i - 1) / 3, i})
		cycle = append(cycle, [2]int{i - 1, i})
	}
	for i := 2; i < 40; i++ {
		ladder = append(ladder, [2]int{i - 2, i})
	}
	cycle = append(cycle, [2]int{39, 0})
	for name, pairs := range map[string][][2]int{"tree": tree, "ladder": ladder, "cycle": cycle} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, countCrossed(40, pairs), 0, "%s crossings", name) })
	}
	assert.Equal(t, countCrossed(6, [][2]int{{0, 3}, {0, 4}, {0, 5}, {1, 3}, {1, 4}, {1, 5}, {2, 3}, {2, 4}, {2, 5}}), 9, "three times three cross")
}

// TestChainIsStraight: a chain is drawn as one line, even next to other vertices.
func TestChainIsStraight(t *testing.T) {
	vertices, edges := make([]vertex, 12), []edge{}
	for i := range vertices {
		vertices[i] = vertex{left: 30 + float64(5*i), right: 90, height: 30, port: 20}
		if i > 0 {
			edges = append(edges, edge{from: i - 1, to: i, weight: 3, width: 40, height: 15})
		}
	}
	_, _, err := arrangeGraph(vertices, edges, gaps{side: 20, rank: 20})
	assert.NoError(t, err)
	for i := range vertices {
		assert.True(t, math.Abs(vertices[i].anchor.x-vertices[0].anchor.x) <= 0.01,
			"vertex %d is at %v, the first at %v", i, vertices[i].anchor.x, vertices[0].anchor.x)
	}
}

// TestBoundOfPassages: 748 edges over 85 vertices pass 125,000 ranks, and one more edge is too much.
func TestBoundOfPassages(t *testing.T) {
	vertices, edges := make([]vertex, 85), []edge{}
	for i := 1; i < len(vertices); i++ {
		edges = append(edges, edge{from: i - 1, to: i, weight: 1})
	}
	for range 748 {
		edges = append(edges, edge{from: 0, to: 84, weight: 1})
	}
	_, _, err := arrangeGraph(vertices, edges, gaps{side: 20, rank: 20})
	assert.NoError(t, err)
	edges = append(edges, edge{from: 84, to: 0, weight: 1})
	_, _, err = arrangeGraph(vertices, edges, gaps{side: 20, rank: 20})
	assert.ErrorIs(t, err, ErrTooLarge, "an edge too many")
}
