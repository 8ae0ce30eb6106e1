package prove

import (
	"slices"
)

// pruning is which of two scores at a node is kept.
type pruning int

const (
	keepFirst pruning = iota // keep only the first arrival, which has the highest score of its length
	keepHigher
	keepLower
	keepAll
)

// searchItem is a running session in a search or, if done is true, the end of a way to a goal.
type searchItem struct {
	node, score int
	length      int
	hope        int // length plus a lower bound of the steps left
	done        bool
	way         *pathStep
}

// search finds the shortest way to an edge that is a goal (A*).
type search struct {
	g         *graph
	prune     pruning
	goal      func(n int, e *edge, score int) bool
	left      []int                     // by node, a lower bound of the steps to a goal; nil means 0
	onArrival func(it *searchItem) bool // called with each session that is expanded; the search ends if it returns true

	queue queue[searchItem]
	best  []int
	seen  []bool
	met   map[[2]int]bool
}

const minQueue = 4

// never is the distance of a node that cannot reach a goal.
const never = 1 << 60

func (s *search) findWay() (way *pathStep, found bool) {
	if s.g.queued < minQueue {
		return nil, false
	}
	s.best, s.seen = make([]int, len(s.g.nodes)), make([]bool, len(s.g.nodes))
	s.met, s.queue.less = map[[2]int]bool{}, s.comesSooner
	s.pushItem(searchItem{})
	stop := s.g.queued - s.g.queued/4
	for s.g.queued -= len(s.g.nodes) / 16; len(s.queue.items) > 0 && s.g.queued > stop; {
		it := s.queue.pop()
		if it.done {
			return it.way, true
		}
		if !s.isUseful(&it) {
			continue
		}
		s.seen[it.node], s.best[it.node] = true, it.score
		if s.prune == keepAll {
			s.met[[2]int{it.node, it.score}] = true
		}
		if s.onArrival != nil && s.onArrival(&it) {
			return it.way, true
		}
		s.expandItem(&it)
	}
	return nil, false
}

func (s *search) expandItem(it *searchItem) {
	edges := s.g.nodes[it.node].edges
	for i := range edges {
		e := &edges[i]
		score := it.score + e.delta
		if s.goal != nil && s.goal(it.node, e, score) {
			length := it.length + e.times
			s.queue.push(searchItem{length: length, hope: length, done: true, way: it.followEdge(e)})
			continue
		}
		if e.to < 0 || score <= s.g.bound || e.to == it.node && e.delta == 0 {
			continue
		}
		next := searchItem{node: e.to, score: score, length: it.length + e.times}
		if s.isUseful(&next) {
			next.way = it.followEdge(e)
			s.pushItem(next)
		}
	}
}

func (it *searchItem) followEdge(e *edge) *pathStep {
	return &pathStep{before: it.way, verdict: e.verdict, times: e.times, length: it.length + e.times}
}

func (s *search) pushItem(it searchItem) {
	s.g.queued--
	it.hope = it.length
	if s.left != nil {
		it.hope += s.left[it.node]
		if s.left[it.node] == never {
			return
		}
	}
	s.queue.push(it)
}

func (s *search) isUseful(it *searchItem) bool {
	if s.prune == keepAll {
		return !s.met[[2]int{it.node, it.score}]
	}
	if !s.seen[it.node] {
		return true
	}
	best := s.best[it.node]
	return s.prune == keepHigher && it.score > best || s.prune == keepLower && it.score < best
}

// comesSooner is the order of the queue: the estimate hope, then the length (longer first), then
// the score that pruning keeps.
func (s *search) comesSooner(a, b *searchItem) bool {
	switch {
	case a.hope != b.hope:
		return a.hope < b.hope
	case a.length != b.length:
		return a.length > b.length
	case s.prune == keepLower:
		return a.score < b.score
	}
	return a.score > b.score
}

// distancesToGoal returns for each node the minimum number of steps to an edge that may be a goal,
// or never. It ignores scores.
func (g *graph) distancesToGoal(may func(n int, e *edge) bool) []int {
	d := newDijkstra(len(g.nodes))
	for n := range g.nodes {
		for i := range g.nodes[n].edges {
			if e := &g.nodes[n].edges[i]; may(n, e) {
				d.lowerDistance(n, e.times)
			}
		}
	}
	return d.findDistances(g.into)
}

type arc struct{ to, length int }

// arcs holds the arcs of all nodes, grouped by node.
type arcs struct {
	first []int // by node: the index in all of its first arc
	all   []arc
}

func (g *graph) indexArcs() {
	g.onward.first, g.into.first = make([]int, len(g.nodes)+1), make([]int, len(g.nodes)+1)
	g.eachOnward(func(from int, e *edge) {
		g.onward.first[from+1]++
		g.into.first[e.to+1]++
	})
	for n := range g.nodes {
		g.onward.first[n+1] += g.onward.first[n]
		g.into.first[n+1] += g.into.first[n]
	}
	total := g.into.first[len(g.nodes)]
	g.onward.all, g.into.all = make([]arc, 0, total), make([]arc, total)
	next := slices.Clone(g.into.first)
	g.eachOnward(func(from int, e *edge) {
		g.onward.all = append(g.onward.all, arc{e.to, e.times})
		g.into.all[next[e.to]] = arc{from, e.times}
		next[e.to]++
	})
}

func (g *graph) eachOnward(do func(from int, e *edge)) {
	for n := range g.nodes {
		for i := range g.nodes[n].edges {
			if e := &g.nodes[n].edges[i]; e.to >= 0 && e.to != n {
				do(n, e)
			}
		}
	}
}

type dijkstra struct {
	queue queue[arc]
	least []int
}

func newDijkstra(nodes int) *dijkstra {
	d := &dijkstra{least: slices.Repeat([]int{never}, nodes)}
	d.queue.less = func(a, b *arc) bool { return a.length < b.length }
	return d
}

func (d *dijkstra) lowerDistance(n, length int) bool {
	if length >= d.least[n] {
		return false
	}
	d.least[n] = length
	d.queue.push(arc{n, length})
	return true
}

func (d *dijkstra) nextNode() int {
	for len(d.queue.items) > 0 {
		if at := d.queue.pop(); at.length == d.least[at.to] {
			return at.to
		}
	}
	return -1
}

func (d *dijkstra) findDistances(a arcs) []int {
	for n := d.nextNode(); n >= 0; n = d.nextNode() {
		for _, arc := range a.all[a.first[n]:a.first[n+1]] {
			d.lowerDistance(arc.to, d.least[n]+arc.length)
		}
	}
	return d.least
}
