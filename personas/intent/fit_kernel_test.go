package intent

import (
	"math"
	"math/rand/v2"
)

// Hyperparameters of the fit of a kernel, chosen by cross-validation over personas.
const (
	kernelRounds  = 8
	kernelRate    = 0.05
	kernelPenalty = 0.001
	kernelBatch   = 32
)

// startKernel returns the kernel with which the fit starts. The penalty of the fit is the distance
// from it.
func startKernel() kernel {
	k := kernel{Crowd: 1}
	k.Weights[pScore], k.Weights[pMeaning] = 4, 10
	return k
}

func (kn *kernel) flatten() []*float64 {
	var out []*float64
	for _, numbers := range [][]float64{kn.Weights[:], kn.Bias[:], kn.Empty[:]} {
		for i := range numbers {
			out = append(out, &numbers[i])
		}
	}
	return append(out, &kn.Crowd)
}

// fitKernel maximizes the probability of the right choices (Adam, with a penalty on the distance
// from the initial kernel).
func fitKernel(data []sample, listOf func(*measurement) *pairList) kernel {
	kn, start, slope := startKernel(), startKernel(), kernel{}
	var mean, square kernel
	random := rand.New(rand.NewPCG(3, 4))
	for round := range kernelRounds {
		for n, i := range random.Perm(len(data)) {
			kn.addSlope(&slope, &data[i], listOf(data[i].m))
			if n%kernelBatch == kernelBatch-1 {
				kn.descend(&slope, &start, &mean, &square, kernelRate/(1+0.3*float64(round)))
				slope = kernel{}
			}
		}
	}
	return kn
}

func (kn *kernel) descend(slope, start, mean, square *kernel, rate float64) {
	g, s, m, q := slope.flatten(), start.flatten(), mean.flatten(), square.flatten()
	for i, w := range kn.flatten() {
		d := *g[i]/kernelBatch + float64(kernelPenalty*(*w-*s[i]))
		*m[i] = 0.9**m[i] + 0.1*d
		*q[i] = 0.99**q[i] + 0.01*d*d
		*w -= rate * *m[i] / (math.Sqrt(*q[i]) + 1e-8)
	}
}

func (kn *kernel) addSlope(slope *kernel, s *sample, l *pairList) {
	utilities := kn.utilities(s.m.state.choices, l)
	d := s.slopes(softmax(utilities))
	if d == nil {
		return
	}
	for k, c := range s.m.state.choices {
		if l.counts[k] == 0 {
			slope.Empty[c.kind] += d[k]
			continue
		}
		crowd := math.Log(float64(l.counts[k]))
		slope.Bias[c.kind] += d[k]
		slope.Crowd -= d[k] * crowd
		sum := utilities[k] + kn.Crowd*crowd - kn.Bias[c.kind]
		for i := range l.pairs[k] {
			p := &l.pairs[k][i]
			share := d[k] * math.Exp(kn.measureNearness(p)-sum)
			for j, x := range p {
				slope.Weights[j] += float64(share * x)
			}
		}
	}
}
