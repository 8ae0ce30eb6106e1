package prove

import (
	"cmp"
	"slices"
)

// segment is a range of residues with the same block k. With a period p it contains the numbers
// r+k*p for lo <= r <= hi. Without a period the residue is the number itself, and k is 0.
type segment struct{ lo, hi, k int }

// segments map a residue to the least block that contains it. With a period, all higher blocks of
// the residue are members too. They are sorted, disjoint, and merged if they are adjacent with the
// same block.
type segments []segment

// addSegment adds the residues of a segment from its block on. It appends the parts that were not
// members to news, and returns the cost.
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
