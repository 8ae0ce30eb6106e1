package prove

import (
	"cmp"
	"math"
	"slices"
)

type periodSet struct {
	period int // 0 for the plain numbers
	all    segments
	fresh  segments // not yet passed along the edges
}

type scoreSets struct {
	g     *graph
	order []int
	scale scale
	pumps []int // period of each node in units, or 0
	sets  [][]periodSet
	dirty []bool

	news, rest segments // buffers for addNumbers
}

func (g *graph) exploreScores() (*scoreSets, error) {
	s := &scoreSets{
		g: g, order: g.orderNodes(), sets: make([][]periodSet, len(g.nodes)), dirty: make([]bool, len(g.nodes)),
	}
	s.scale = g.newScale(s.order)
	s.pumps = g.findPumps(s.order, 1)
	for n := range s.pumps {
		s.pumps[n] = g.refinePeriod(n, s.pumps[n]) / s.scale.unit
	}
	s.addNumbers(0, 0, segment{})
	for again := true; again; {
		again = false
		for _, n := range s.order {
			if s.dirty[n] {
				s.dirty[n] = false
				again = true
				s.spreadNews(n)
			}
		}
		if g.work -= len(s.order) / 16; g.work < 0 {
			break
		}
	}
	return s, g.checkBudget()
}

// refinePeriod uses a loop with a negative sum. Turns of the pump and then of the loop add any
// multiple of the greatest common divisor.
func (g *graph) refinePeriod(n, period int) int {
	for i := range g.nodes[n].edges {
		if e := &g.nodes[n].edges[i]; e.to == n && e.delta < 0 && period > 0 {
			period = gcd(period, e.delta)
		}
	}
	return period
}

func (s *scoreSets) addNumbers(n, period int, in segment) {
	h := s.setFor(n, period)
	s.news, s.rest = s.news[:0], s.rest[:0]
	s.g.work -= h.all.addSegment(in, &s.news)
	for _, g := range s.news {
		s.g.work -= h.fresh.addSegment(g, &s.rest)
		s.dirty[n] = true
	}
}

func (s *scoreSets) setFor(n, period int) *periodSet {
	s.g.work -= len(s.sets[n]) / 8
	for i := range s.sets[n] {
		if s.sets[n][i].period == period {
			return &s.sets[n][i]
		}
	}
	s.sets[n] = append(s.sets[n], periodSet{period: period})
	return &s.sets[n][len(s.sets[n])-1]
}

func (s *scoreSets) spreadNews(n int) {
	s.g.work -= len(s.sets[n]) / 8
	for i := range s.sets[n] {
		h := &s.sets[n][i]
		if len(h.fresh) == 0 {
			continue
		}
		fresh, period := h.fresh, h.period
		h.fresh = nil
		s.g.work -= 1 + len(s.g.nodes[n].edges)/8
		for j := range s.g.nodes[n].edges {
			e := &s.g.nodes[n].edges[j]
			if e.to < 0 || s.g.work < 0 {
				continue
			}
			shift := (s.scale.offset[n] + e.delta - s.scale.offset[e.to]) / s.scale.unit
			for _, g := range fresh {
				s.enterRange(e.to, period, g.lo+g.k*period+shift, g.hi+g.k*period+shift)
			}
		}
	}
}

func (s *scoreSets) enterRange(n, period, lo, hi int) {
	least := s.numberAtMost(n, s.g.bound) + 1
	if period == 0 {
		lo = max(lo, least)
		if lo > hi {
			return
		}
		if period = s.pumps[n]; period == 0 {
			s.addNumbers(n, 0, segment{lo, hi, 0})
			return
		}
	}
	hi = min(hi, lo+period-1)
	if lo < least {
		// Numbers a few periods above the bound replace those at or below the bound.
		dead := min(hi, least-1) - lo
		at := least + mod(lo-least, period)
		s.addBlocks(n, period, at, min(at+dead, least+period-1))
		s.addBlocks(n, period, least, at+dead-period)
		lo = least
	}
	s.addBlocks(n, period, lo, hi)
}

func (s *scoreSets) addBlocks(n, period, lo, hi int) {
	if lo > hi {
		return
	}
	block, residue := floorDiv(lo, period), mod(lo, period)
	end := residue + hi - lo
	s.addNumbers(n, period, segment{residue, min(end, period-1), block})
	if end >= period {
		s.addNumbers(n, period, segment{0, end - period, block + 1})
	}
}

func (s *scoreSets) numberAtMost(n, score int) int {
	return floorDiv(score-s.scale.offset[n], s.scale.unit)
}

func (s *scoreSets) scoreOf(n, number int) int { return s.scale.offset[n] + s.scale.unit*number }

func (s *scoreSets) isLive(n int) bool { return len(s.sets[n]) > 0 }

func (s *scoreSets) atLeast(n, x int) (best int, ok bool) {
	number := s.numberAtMost(n, x-1) + 1
	for i := range s.sets[n] {
		h := &s.sets[n][i]
		if v, found := h.all.leastFrom(h.period, number); found && (!ok || v < best) {
			best, ok = v, true
		}
	}
	return s.scoreOf(n, best), ok
}

func (s *scoreSets) atMost(n, x int) (best int, ok bool) {
	number := s.numberAtMost(n, x)
	for i := range s.sets[n] {
		h := &s.sets[n][i]
		if v, found := h.all.greatestTo(h.period, number); found && (!ok || v > best) {
			best, ok = v, true
		}
	}
	return s.scoreOf(n, best), ok
}

func (s *scoreSets) greatestScore(n int) Score {
	for i := range s.sets[n] {
		if s.sets[n][i].period > 0 {
			return Inf
		}
	}
	best, _ := s.atMost(n, math.MaxInt64/4)
	return Score(best)
}

// segment contains the numbers r+k*p for lo <= r <= hi and the period p. Without a period, k is 0.
type segment struct{ lo, hi, k int }

// segments map a residue to its least block. With a period, higher blocks are included. The list is
// sorted, disjoint and merged.
type segments []segment

func (s *segments) addSegment(in segment, news *segments) (cost int) {
	if len(*s) == 0 {
		*s, *news = segments{in}, append(*news, in)
		return 1
	}
	from, _ := slices.BinarySearchFunc(*s, in.lo, func(g segment, residue int) int { return cmp.Compare(g.hi, residue) })
	if from < len(*s) {
		if g := (*s)[from]; g.lo <= in.lo && g.hi >= in.hi && g.k <= in.k {
			return 1
		}
	}
	to, middle := from, segments{}
	at := in.lo
	fresh := func(lo, hi int) {
		if lo <= hi {
			middle = middle.appendSegment(segment{lo, hi, in.k})
			*news = append(*news, segment{lo, hi, in.k})
		}
	}
	if from > 0 && (*s)[from-1].hi == in.lo-1 {
		from--
		middle = append(middle, (*s)[from])
	}
	for ; to < len(*s) && (*s)[to].lo <= in.hi; to++ {
		g := (*s)[to]
		fresh(at, g.lo-1)
		middle = middle.appendSegment(segment{g.lo, in.lo - 1, g.k})
		lo, hi := max(g.lo, in.lo), min(g.hi, in.hi)
		if g.k <= in.k {
			middle = middle.appendSegment(segment{lo, hi, g.k})
		} else {
			fresh(lo, hi)
		}
		middle = middle.appendSegment(segment{in.hi + 1, g.hi, g.k})
		at = hi + 1
	}
	fresh(at, in.hi)
	if to < len(*s) && (*s)[to].lo == in.hi+1 {
		middle = middle.appendSegment((*s)[to])
		to++
	}
	cost = 1 + len(middle) + (len(*s)-from)/16
	*s = slices.Replace(*s, from, to, middle...)
	return cost
}

func (s segments) appendSegment(g segment) segments {
	if g.lo > g.hi {
		return s
	}
	if n := len(s) - 1; n >= 0 && s[n].hi+1 == g.lo && s[n].k == g.k {
		s[n].hi = g.hi
		return s
	}
	return append(s, g)
}

func (s segments) leastFrom(period, x int) (best int, ok bool) {
	for _, g := range s {
		block := g.k
		if period > 0 {
			block = max(block, -floorDiv(g.hi-x, period))
		}
		if g.hi+block*period < x {
			continue
		}
		if v := max(x, g.lo+block*period); !ok || v < best {
			best, ok = v, true
		}
	}
	return best, ok
}

func (s segments) greatestTo(period, x int) (best int, ok bool) {
	for _, g := range s {
		block := g.k
		if period > 0 {
			block = max(block, floorDiv(x-g.lo, period))
		}
		if g.lo+block*period > x {
			continue
		}
		if v := min(x, g.hi+block*period); !ok || v > best {
			best, ok = v, true
		}
	}
	return best, ok
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

func mod(a, b int) int { return a - floorDiv(a, b)*b }
