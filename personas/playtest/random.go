package playtest

import "math/bits"

// randomSource returns random numbers that depend only on the seed, not on the machine or the
// version. It is SplitMix64 (Steele, Lea and Flood, 2014).
type randomSource struct{ state uint64 }

// newRandomSource returns a separate source for player n, so that additional players do not change
// the others.
func newRandomSource(seed, n uint64) *randomSource {
	r := &randomSource{state: seed}
	r.state = r.nextNumber() + n*0xD1342543DE82EF95
	return r
}

func (r *randomSource) nextNumber() uint64 {
	r.state += 0x9E3779B97F4A7C15
	z := r.state
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// numberBelow returns a random number from 0 to n-1. The probability of each number deviates from
// 1/n by less than n in 2^64.
func (r *randomSource) numberBelow(n int) int {
	high, _ := bits.Mul64(r.nextNumber(), uint64(max(n, 1)))
	return int(high) //nolint:gosec // below n, which is an int
}
