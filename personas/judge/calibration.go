package judge

import "math"

// binCount is the number of bins for the range from 0 to 1.
const binCount = 10

// A Calibration compares the probabilities of a judge's decisions with the share of correct ones.
// The zero Calibration is empty.
type Calibration struct {
	bins [binCount]struct {
		lines, right int
		sum          float64 // sum of the probabilities
	}
}

// A Bin contains the decisions with probabilities from From up to To.
type Bin struct {
	From, To float64
	Lines    int
	// Probability is the mean probability of the decisions, Right the share of correct ones.
	Probability, Right float64
}

// Add adds a decision with its probability. A probability outside of 0 to 1 is clamped.
func (c *Calibration) Add(probability float64, right bool) {
	if math.IsNaN(probability) {
		probability = 0
	}
	probability = min(max(probability, 0), 1)
	b := &c.bins[min(int(probability*binCount), binCount-1)]
	b.lines++
	b.sum += probability
	if right {
		b.right++
	}
}

// Bins returns the bins that contain decisions, in increasing order of probability.
func (c *Calibration) Bins() []Bin {
	var all []Bin
	for i, b := range c.bins {
		if b.lines > 0 {
			all = append(all, Bin{
				From: float64(i) / binCount, To: float64(i+1) / binCount, Lines: b.lines,
				Probability: b.sum / float64(b.lines), Right: float64(b.right) / float64(b.lines),
			})
		}
	}
	return all
}

// Error returns the expected calibration error, from 0 to 1: the mean over the bins, weighted by
// the number of decisions, of the difference between probability and share of correct ones.
func (c *Calibration) Error() float64 {
	lines, sum := 0, 0.0
	for _, b := range c.Bins() {
		lines += b.Lines
		sum += float64(b.Lines) * math.Abs(b.Probability-b.Right)
	}
	return sum / float64(max(lines, 1))
}
