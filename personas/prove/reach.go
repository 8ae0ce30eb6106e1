package prove

import "math"

// held is what one period's numbers of a node are: all that is known, and what
// the node's edges have not been told yet.
type held struct {
	period     int // 0: the plain numbers
	all, fresh segments
}

// scores are the exact sets of scores with which each node can be running.
type scores struct {
	g     *graph
	order []int
	scale scale
	pumps []int // by node the period in units, or 0
	held  [][]held
	dirty []bool

	news, rest segments // room for what put finds
}

// scores explores the graph to the end.
func (g *graph) scores() (*scores, error) {
	s := &scores{g: g, order: g.order(), held: make([][]held, len(g.nodes)), dirty: make([]bool, len(g.nodes))}
	s.scale = g.scale(s.order)
	s.pumps = g.pumps(s.order, 1)
	for n := range s.pumps {
		s.pumps[n] = g.refine(n, s.pumps[n]) / s.scale.unit
	}
	s.tell(0, 0, segment{})
	for again := true; again; {
		again = false
		for _, n := range s.order {
			if s.dirty[n] {
				s.dirty[n] = false
				again = true
				s.pass(n)
			}
		}
		if g.budget -= len(s.order) / 16; g.budget < 0 {
			break
		}
	}
	return s, g.overspent()
}

// refine makes a pump's period smaller where the same node has a loop that
// loses points: enough turns of the pump first and then enough of the loop come
// out at any multiple of what both have in common, and never below the start.
func (g *graph) refine(n, period int) int {
	for i := range g.nodes[n].edges {
		if e := &g.nodes[n].edges[i]; e.to == n && e.delta < 0 && period > 0 {
			period = gcd(period, e.delta)
		}
	}
	return period
}

// tell makes numbers members of a node's set.
func (s *scores) tell(n, period int, in segment) {
	h := s.hold(n, period)
	s.news, s.rest = s.news[:0], s.rest[:0]
	s.g.budget -= h.all.put(in, &s.news)
	for _, g := range s.news {
		s.g.budget -= h.fresh.put(g, &s.rest)
		s.dirty[n] = true
	}
}

func (s *scores) hold(n, period int) *held {
	for i := range s.held[n] {
		if s.held[n][i].period == period {
			return &s.held[n][i]
		}
	}
	s.held[n] = append(s.held[n], held{period: period})
	return &s.held[n][len(s.held[n])-1]
}

// pass tells what is new at a node along its edges.
func (s *scores) pass(n int) {
	for i := range s.held[n] {
		h := &s.held[n][i]
		fresh, period := h.fresh, h.period
		h.fresh = nil
		for j := range s.g.nodes[n].edges {
			e := &s.g.nodes[n].edges[j]
			if e.to < 0 || s.g.budget < 0 {
				continue
			}
			shift := (s.scale.offset[n] + e.delta - s.scale.offset[e.to]) / s.scale.unit
			for _, g := range fresh {
				s.enter(e.to, period, g.lo+g.k*period+shift, g.hi+g.k*period+shift)
			}
		}
	}
}

// enter makes the numbers lo to hi of that period members at a node, as far as
// the bound lets them live. At a pump plain numbers become periodic.
func (s *scores) enter(n, period, lo, hi int) {
	least := s.least(n)
	if period == 0 {
		lo = max(lo, least)
		if lo > hi {
			return
		}
		if period = s.pumps[n]; period == 0 {
			s.tell(n, 0, segment{lo, hi, 0})
			return
		}
	}
	hi = min(hi, lo+period-1)
	if lo < least {
		// What the bound ends is alive a few periods higher.
		dead := min(hi, least-1) - lo
		at := least + mod(lo-least, period)
		s.blocks(n, period, at, min(at+dead, least+period-1))
		s.blocks(n, period, least, at+dead-period)
		lo = least
	}
	s.blocks(n, period, lo, hi)
}

// blocks tells a range no longer than the period, cut where a block ends.
func (s *scores) blocks(n, period, lo, hi int) {
	if lo > hi {
		return
	}
	block, residue := floorDiv(lo, period), mod(lo, period)
	end := residue + hi - lo
	s.tell(n, period, segment{residue, min(end, period-1), block})
	if end >= period {
		s.tell(n, period, segment{0, end - period, block + 1})
	}
}

// least is the least number at a node that lies above the bound.
func (s *scores) least(n int) int { return s.number(n, s.g.bound) + 1 }

// number is the greatest number at a node whose score is at most the score.
func (s *scores) number(n, score int) int {
	return floorDiv(score-s.scale.offset[n], s.scale.unit)
}

func (s *scores) score(n, number int) int { return s.scale.offset[n] + s.scale.unit*number }

// live tells whether the machine can be running at the node.
func (s *scores) live(n int) bool { return len(s.held[n]) > 0 }

// atLeast is the least score of a node that is not below x.
func (s *scores) atLeast(n, x int) (best int, ok bool) {
	number := s.number(n, x-1) + 1
	for i := range s.held[n] {
		h := &s.held[n][i]
		if v, found := h.all.least(h.period, number); found && (!ok || v < best) {
			best, ok = v, true
		}
	}
	return s.score(n, best), ok
}

// atMost is the greatest score of a node that is not above x.
func (s *scores) atMost(n, x int) (best int, ok bool) {
	number := s.number(n, x)
	for i := range s.held[n] {
		h := &s.held[n][i]
		if v, found := h.all.greatest(h.period, number); found && (!ok || v > best) {
			best, ok = v, true
		}
	}
	return s.score(n, best), ok
}

// greatest is the greatest score of a live node; Inf when it can be pumped.
func (s *scores) greatest(n int) Score {
	for i := range s.held[n] {
		if s.held[n][i].period > 0 {
			return Inf
		}
	}
	best, _ := s.atMost(n, math.MaxInt64/4)
	return Score(best)
}
