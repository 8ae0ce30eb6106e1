package prove

// pruning selects the sessions of a node for the rest of the search.
type pruning int

const (
	keepHigher pruning = iota // those with a higher score than all before
	keepLower                 // those with a lower score than all before
	keepAll                   // those with a new score
)

type session struct {
	node, score int
	way         *pathStep // nil at the start
}

// search is breadth-first, so its first way is a shortest way (see Witnesses in the package comment).
type search struct {
	g         *graph
	prune     pruning
	goal      func(e *edge, score int) bool
	useful    []bool                // whether a goal may follow each node; nil means yes
	onArrival func(at session) bool // called with each expanded session; true ends the search

	best []int // highest or lowest score of each node in seen
	seen []bool
	met  map[[2]int]bool // node and score, for keepAll
}

const minQueue = 4

func (s *search) findWay() (way *pathStep, found bool) {
	if s.g.queued < minQueue {
		return nil, false
	}
	s.best, s.seen, s.met = make([]int, len(s.g.nodes)), make([]bool, len(s.g.nodes)), map[[2]int]bool{}
	stop := s.g.queued - s.g.queued/4
	s.g.queued -= len(s.g.nodes) / 16
	queue := append(s.g.queue[:0], session{})
	defer func() { s.g.queue = queue }()
	s.isNews(0, 0)
	for next := 0; next < len(queue) && s.g.queued > stop; next++ {
		at := queue[next]
		if s.onArrival != nil && s.onArrival(at) {
			return at.way, true
		}
		edges := s.g.nodes[at.node].edges
		for i := range edges {
			e := &edges[i]
			score := at.score + e.delta
			if s.goal != nil && s.goal(e, score) {
				return at.follow(e), true
			}
			if e.to < 0 || score <= s.g.bound || s.useful != nil && !s.useful[e.to] || !s.isNews(e.to, score) {
				continue
			}
			s.g.queued--
			queue = append(queue, session{e.to, score, at.follow(e)})
		}
	}
	return nil, false
}

func (s session) follow(e *edge) *pathStep {
	return &pathStep{before: s.way, verdict: e.verdict, length: s.way.len() + 1}
}

func (h *pathStep) len() int {
	if h == nil {
		return 0
	}
	return h.length
}

func (s *search) isNews(node, score int) bool {
	if s.prune == keepAll {
		isNew := !s.met[[2]int{node, score}]
		s.met[[2]int{node, score}] = true
		return isNew
	}
	best := s.best[node]
	if s.seen[node] && (s.prune == keepHigher && score <= best || s.prune == keepLower && score >= best) {
		return false
	}
	s.seen[node], s.best[node] = true, score
	return true
}

// leadTo finds the nodes with a path to an edge that may accepts. It ignores scores.
func (g *graph) leadTo(may func(n int, e *edge) bool) []bool {
	leads := make([]bool, len(g.nodes))
	var queue []int
	for n := range g.nodes {
		for i := range g.nodes[n].edges {
			if may(n, &g.nodes[n].edges[i]) && !leads[n] {
				leads[n] = true
				queue = append(queue, n)
			}
		}
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, from := range g.into[n] {
			if !leads[from] {
				leads[from] = true
				queue = append(queue, from)
			}
		}
	}
	return leads
}
