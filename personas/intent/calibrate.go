package intent

import (
	"maps"
	"math"
	"slices"

	"github.com/parley-npc/parley/personas"
)

// A Line is a message with its correct decision, and with a judge's assessment of it.
type Line struct {
	Choices []Choice // the last choice is the aside
	Wanted  string   // the correct decision
	MayAsk  bool
}

const (
	fitSteps, fitRounds = 20, 3
	undeservedCost      = 3
)

func (p Policy) decisionOf(l *Line) string {
	v := p.Decide(l.Choices, l.MayAsk)
	if v.Ask {
		return personas.FollowUpName
	}
	return l.Choices[v.Choice].Decision
}

func isUndeserved(made, wanted string) bool {
	return made == "kick_out" && wanted != "kick_out" || made == "reject" && wanted != "reject" && wanted != "kick_out"
}

// Fit returns a copy of the policy with the probability thresholds that decide most lines
// correctly. An undeserved ending weighs as much as three wrong lines. It changes no threshold
// without need, and no other values. It stops when check returns an error.
func (p Policy) Fit(lines []Line, check func() error) (Policy, error) {
	best := Policy{}
	maps.Copy(best, p)
	for range fitRounds {
		for _, decision := range kindNames[:aside] { // an aside is chosen if all other decisions fail
			for step := range fitSteps {
				if err := check(); err != nil {
					return best, err
				}
				tried := maps.Clone(best)
				t := tried[decision]
				t.Probability = float64(step) / fitSteps
				t.Ask = min(t.Ask, t.Probability)
				if tried[decision] = t; tried.weigh(lines) > best.weigh(lines) {
					best = tried
				}
			}
		}
	}
	return best, nil
}

// Count returns the number of lines that the policy decides correctly, and the number of lines with
// an undeserved ending.
func (p Policy) Count(lines []Line) (right, undeserved int) {
	for i := range lines {
		l := &lines[i]
		made := p.decisionOf(l)
		switch {
		case made == l.Wanted:
			right++
		case isUndeserved(made, l.Wanted):
			undeserved++
		}
	}
	return right, undeserved
}

func (p Policy) weigh(lines []Line) int {
	right, undeserved := p.Count(lines)
	return right - (undeservedCost-1)*undeserved
}

const binCount = 10

// A Calibration compares the probabilities of a judge's decisions with the share of correct ones.
// The zero Calibration is empty.
type Calibration [binCount]Bin

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
	i := min(int(probability*binCount), binCount-1)
	b := &c[i]
	b.From, b.To = float64(i)/binCount, float64(i+1)/binCount
	b.Lines++
	b.Probability += (probability - b.Probability) / float64(b.Lines)
	b.Right += (asNumber(right) - b.Right) / float64(b.Lines)
}

// Bins returns the bins that contain decisions, in increasing order of probability.
func (c *Calibration) Bins() []Bin {
	return slices.DeleteFunc(slices.Clone(c[:]), func(b Bin) bool { return b.Lines == 0 })
}

// Error returns the expected calibration error, from 0 to 1. In each bin it takes the difference
// between the probability and the share of correct decisions. The result is the mean of the
// differences, weighted by the number of decisions.
func (c *Calibration) Error() float64 {
	lines, sum := 0, 0.0
	for _, b := range c {
		lines += b.Lines
		sum += float64(b.Lines) * math.Abs(b.Probability-b.Right)
	}
	return sum / float64(max(lines, 1))
}
