package judge

import (
	"maps"
	"slices"
)

// A Line is a message with its correct decision, and with a judge's assessment of it.
type Line struct {
	Choices []Choice // the last choice is the aside
	Wanted  string   // the correct decision
	MayAsk  bool
}

const (
	// fitSteps is the number of thresholds between 0 and 1 that are tried for a decision. fitRounds
	// is the maximum number of passes over all decisions.
	fitSteps, fitRounds = 20, 3
	// undeservedCost is the number of wrong lines that have the weight of one undeserved ending.
	undeservedCost = 3
)

// followUp is the decision to ask the player what was meant.
const followUp = "follow_up"

// DecisionOf returns the policy's decision for a line.
func (p Policy) DecisionOf(l *Line) string {
	v := p.Decide(l.Choices, l.MayAsk)
	if v.Ask {
		return followUp
	}
	return l.Choices[v.Choice].Decision
}

// IsUndeserved reports whether a decision is worse for the player than the correct one.
func IsUndeserved(made, wanted string) bool {
	return made == "kick_out" && wanted != "kick_out" || made == "reject" && wanted != "reject" && wanted != "kick_out"
}

// Fit returns a copy of the policy with the probability thresholds that decide most lines
// correctly; an undeserved ending weighs as much as three wrong lines. Of equally good thresholds
// it chooses the one closest to p's. It changes no other thresholds. It stops when more returns an
// error.
func (p Policy) Fit(lines []Line, more func() error) (Policy, error) {
	best := maps.Clone(p)
	if best == nil {
		best = Policy{}
	}
	score := best.weigh(lines)
	for range fitRounds {
		before := score
		for _, decision := range wantedDecisions(lines) {
			for step := range fitSteps {
				if err := more(); err != nil {
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

// isNearer reports whether a is nearer than b to the policy's own threshold.
func (p Policy) isNearer(decision string, a, b float64) bool {
	own := p[decision].Probability
	return max(a-own, own-a) < max(b-own, own-b)
}

// Count returns the number of lines that the policy decides correctly, and the number of lines with
// an undeserved ending.
func (p Policy) Count(lines []Line) (right, undeserved int) {
	for i := range lines {
		l := &lines[i]
		made := p.DecisionOf(l)
		switch {
		case made == l.Wanted:
			right++
		case IsUndeserved(made, l.Wanted):
			undeserved++
		}
	}
	return right, undeserved
}

func (p Policy) weigh(lines []Line) int {
	right, undeserved := p.Count(lines)
	return right - (undeservedCost-1)*undeserved
}

// wantedDecisions returns the decisions that are choices of the lines. It excludes the aside, which
// needs no threshold because it is chosen if all others fail theirs.
func wantedDecisions(lines []Line) []string {
	seen := map[string]bool{}
	for i := range lines {
		for j := range lines[i].Choices[:len(lines[i].Choices)-1] {
			seen[lines[i].Choices[j].Decision] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
