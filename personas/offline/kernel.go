package offline

import "math"

// kernel describes how near a message and a text are, and of all texts of a state which
// choice they speak for.
type kernel struct {
	weights [pairCount]float64
	bias    [kindCount]float64 // of a choice with texts
	empty   [kindCount]float64 // of a choice without
	crowd   float64            // of the logarithm of the number of texts, taken off
}

func (kn *kernel) measureNearness(p *pair) float64 {
	sum := 0.0
	for i, x := range p.measures {
		sum += float64(kn.weights[i] * x)
	}
	return sum
}

// utilities returns what the texts of each choice say for it: the more, and the nearer,
// the better.
func (kn *kernel) utilities(kinds []kind, l *pairList) []float64 {
	out := make([]float64, len(kinds))
	for k := range out {
		out[k] = kn.empty[kinds[k]]
	}
	for from := 0; from < len(l.pairs); {
		k, to := l.pairs[from].choice, from+1
		for to < len(l.pairs) && l.pairs[to].choice == k {
			to++
		}
		out[k] = kn.bias[kinds[k]] + kn.sumNearness(l.pairs[from:to]) - kn.crowd*math.Log(float64(l.counts[k]))
		from = to
	}
	return out
}

// sumNearness is the logarithm of the sum of the exponentials.
func (kn *kernel) sumNearness(pairs []pair) float64 {
	top, sum := kn.measureNearness(&pairs[0]), 1.0
	for i := range pairs[1:] {
		if v := kn.measureNearness(&pairs[i+1]); v > top {
			top, sum = v, sum*math.Exp(top-v)+1
		} else {
			sum += math.Exp(v - top)
		}
	}
	return top + math.Log(sum)
}
