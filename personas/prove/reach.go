package prove

import (
	"cmp"
	"math"
	"slices"
)

// scoreSets stores the scores of each node as numbers. At node n, the number x means the score
// offset[n] + unit*x (see scale). A number has the period P of the first pump that its walk enters,
// or 0 without a pump. Its residue is x modulo P, its block is floor(x/P), and x is residue + block*P.
// Additional turns at the pump raise all later numbers of the walk by any multiple of P, and the
// bound never ends these turns (see findPumps and refinePeriod). A set with the period P and the
// number x therefore also contains x+P, x+2P and so on, and the least block of each residue
// determines the whole set. For this reason, enterRange loses no number when it drops periods. It
// cuts a range after P numbers, because the rest has the same residues in higher blocks. At or below
// the bound the walk ends, so enterRange replaces such a number by the least number above the bound
// with the same residue. The walk arrives with that number after enough additional turns.
type scoreSets struct {
	g     *graph
	order []int
	scale scale
	pumps []int // period of each node in units, or 0
	sets  [][]periodSet
	dirty []bool // whether a set of the node has fresh numbers

	news, rest segments // buffers for addNumbers
}

// periodSet contains the numbers of one node with one period. The plain numbers have the period 0.
type periodSet struct {
	period int
	all    segments
	fresh  segments // the part of all that was not yet passed along the edges
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
	for again := true; again && g.spend(len(s.order)/checksPerUnit); {
		again = false
		for _, n := range s.order {
			if s.dirty[n] {
				s.dirty[n] = false
				again = true
				s.spreadNews(n)
			}
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
	set := s.setFor(n, period)
	s.news, s.rest = s.news[:0], s.rest[:0]
	s.g.spend(set.all.addSegment(in, &s.news))
	for _, seg := range s.news {
		s.g.spend(set.fresh.addSegment(seg, &s.rest))
		s.dirty[n] = true
	}
}

func (s *scoreSets) setFor(n, period int) *periodSet {
	s.g.spend(len(s.sets[n]) / scansPerUnit)
	for i := range s.sets[n] {
		if s.sets[n][i].period == period {
			return &s.sets[n][i]
		}
	}
	s.sets[n] = append(s.sets[n], periodSet{period: period})
	return &s.sets[n][len(s.sets[n])-1]
}

func (s *scoreSets) spreadNews(n int) {
	s.g.spend(len(s.sets[n]) / scansPerUnit)
	for i := range s.sets[n] {
		set := &s.sets[n][i]
		if len(set.fresh) == 0 {
			continue
		}
		fresh, period := set.fresh, set.period
		set.fresh = nil
		s.g.spend(1 + len(s.g.nodes[n].edges)/scansPerUnit)
		for j := range s.g.nodes[n].edges {
			e := &s.g.nodes[n].edges[j]
			if e.to < 0 || s.g.work < 0 {
				continue
			}
			shift := (s.scale.offset[n] + e.delta - s.scale.offset[e.to]) / s.scale.unit
			for _, seg := range fresh {
				s.enterRange(e.to, period, seg.lo+seg.block*period+shift, seg.hi+seg.block*period+shift)
			}
		}
	}
}

// enterRange adds the numbers from lo to hi to node n. In a set with a period, higher blocks follow.
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
		// Raise the numbers at or below the bound to least..least+period-1, in at most two ranges.
		more := min(hi, least-1) - lo
		raised := least + mod(lo-least, period)
		s.addBlocks(n, period, raised, min(raised+more, least+period-1))
		s.addBlocks(n, period, least, raised+more-period)
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
		set := &s.sets[n][i]
		if v, found := set.all.leastFrom(set.period, number); found && (!ok || v < best) {
			best, ok = v, true
		}
	}
	return s.scoreOf(n, best), ok
}

func (s *scoreSets) atMost(n, x int) (best int, ok bool) {
	number := s.numberAtMost(n, x)
	for i := range s.sets[n] {
		set := &s.sets[n][i]
		if v, found := set.all.greatestTo(set.period, number); found && (!ok || v > best) {
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

// segment contains the residues from lo to hi, with their least block. Without a period, lo and hi
// are numbers, and block is 0.
type segment struct{ lo, hi, block int }

// segments map a residue to its least block. The list is sorted, disjoint and merged.
type segments []segment

// addSegment appends to news the parts of in that s did not contain, and returns the cost.
func (s *segments) addSegment(in segment, news *segments) (cost int) {
	if len(*s) == 0 {
		*s, *news = segments{in}, append(*news, in)
		return 1
	}
	from, _ := slices.BinarySearchFunc(*s, in.lo, func(old segment, lo int) int { return cmp.Compare(old.hi, lo) })
	if from < len(*s) {
		if old := (*s)[from]; old.lo <= in.lo && old.hi >= in.hi && old.block <= in.block {
			return 1
		}
	}
	to, middle := from, segments{}
	at := in.lo
	addNew := func(lo, hi int) {
		if lo <= hi {
			middle = middle.appendSegment(segment{lo, hi, in.block})
			*news = append(*news, segment{lo, hi, in.block})
		}
	}
	if from > 0 && (*s)[from-1].hi == in.lo-1 {
		from--
		middle = append(middle, (*s)[from])
	}
	for ; to < len(*s) && (*s)[to].lo <= in.hi; to++ {
		old := (*s)[to]
		addNew(at, old.lo-1)
		middle = middle.appendSegment(segment{old.lo, in.lo - 1, old.block})
		lo, hi := max(old.lo, in.lo), min(old.hi, in.hi)
		if old.block <= in.block {
			middle = middle.appendSegment(segment{lo, hi, old.block})
		} else {
			addNew(lo, hi)
		}
		middle = middle.appendSegment(segment{in.hi + 1, old.hi, old.block})
		at = hi + 1
	}
	addNew(at, in.hi)
	if to < len(*s) && (*s)[to].lo == in.hi+1 {
		middle = middle.appendSegment((*s)[to])
		to++
	}
	cost = 1 + len(middle) + (len(*s)-from)/checksPerUnit
	*s = slices.Replace(*s, from, to, middle...)
	return cost
}

func (s segments) appendSegment(seg segment) segments {
	if seg.lo > seg.hi {
		return s
	}
	if n := len(s) - 1; n >= 0 && s[n].hi+1 == seg.lo && s[n].block == seg.block {
		s[n].hi = seg.hi
		return s
	}
	return append(s, seg)
}

func (s segments) leastFrom(period, x int) (best int, ok bool) {
	for _, seg := range s {
		block := seg.block
		if period > 0 {
			block = max(block, -floorDiv(seg.hi-x, period))
		}
		if seg.hi+block*period < x {
			continue
		}
		if v := max(x, seg.lo+block*period); !ok || v < best {
			best, ok = v, true
		}
	}
	return best, ok
}

func (s segments) greatestTo(period, x int) (best int, ok bool) {
	for _, seg := range s {
		block := seg.block
		if period > 0 {
			block = max(block, floorDiv(x-seg.lo, period))
		}
		if seg.lo+block*period > x {
			continue
		}
		if v := min(x, seg.hi+block*period); !ok || v > best {
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
