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
// correctly. An undeserved ending weighs as much as three wrong lines. Of equally good thresholds
// it chooses the one closest to p's. It changes no other thresholds. It stops when check returns an
// error.
func (p Policy) Fit(lines []Line, check func() error) (Policy, error) {
	best := maps.Clone(p)
	if best == nil {
		best = Policy{}
	}
	score := best.weigh(lines)
	for range fitRounds {
		before := score
		for _, decision := range wantedDecisions(lines) {
			for step := range fitSteps {
				if err := check(); err != nil {
					return best, err
				}
				tried := maps.Clone(best)
				t := tried[decision]
				t.Probability = float64(step) / fitSteps
				t.Ask = min(t.Ask, t.Probability)
				tried[decision] = t
				if s := tried.weigh(lines); s > score || s == score && p.isNearer(decision, t.Probability, best[decision].Probability) {
					best, score = tried, s
				}
			}
		}
		if score == before {
			break
		}
	}
	return best, nil
}

func (p Policy) isNearer(decision string, a, b float64) bool {
	own := p[decision].Probability
	return max(a-own, own-a) < max(b-own, own-b)
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

// wantedDecisions leaves out the aside. An aside needs no threshold, because it is chosen if all
// other decisions fail theirs.
func wantedDecisions(lines []Line) []string {
	seen := map[string]bool{}
	for i := range lines {
		for j := range lines[i].Choices[:len(lines[i].Choices)-1] {
			seen[lines[i].Choices[j].Decision] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

const binCount = 10

// A Calibration compares the probabilities of a judge's decisions with the share of correct ones.
// The zero Calibration is empty.
type Calibration struct {
	bins [binCount]struct {
		lines, right int
		sum          float64
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

// Error returns the expected calibration error, from 0 to 1. In each bin it takes the difference
// between the probability and the share of correct decisions. The result is the mean of the
// differences, weighted by the number of decisions.
func (c *Calibration) Error() float64 {
	lines, sum := 0, 0.0
	for _, b := range c.Bins() {
		lines += b.Lines
		sum += float64(b.Lines) * math.Abs(b.Probability-b.Right)
	}
	return sum / float64(max(lines, 1))
}
