package judge

import (
	"maps"
	"slices"
)

// A Line is a message with a known decision, and a judge's assessment of it.
type Line struct {
	Choices []Choice // the last one is the aside
	Wanted  string   // a decision
	MayAsk  bool
}

const (
	// fitSteps is how many thresholds from 0 to 1 are tried for a decision, and fitRounds how
	// often each decision is tried.
	fitSteps, fitRounds = 20, 3
	// undeservedCost is how many wrong lines an ending that was not deserved weighs.
	undeservedCost = 3
)

// followUp is the decision of a character that asks what was meant.
const followUp = "follow_up"

// DecisionOf returns the policy's decision for a line.
func (p Policy) DecisionOf(l *Line) string {
	v := p.Decide(l.Choices, l.MayAsk)
	if v.Ask {
		return followUp
	}
	return l.Choices[v.Choice].Decision
}

// IsUndeserved reports whether a decision ends or costs more than the wanted one.
func IsUndeserved(made, wanted string) bool {
	return made == "kick_out" && wanted != "kick_out" || made == "reject" && wanted != "reject" && wanted != "kick_out"
}

// Fit returns the policy with the probabilities of decisions that decide the most lines right; an
// undeserved ending weighs as three wrong lines. It changes no other thresholds, and of equally
// good probabilities it keeps the one closest to p's. It ends early when more returns an error.
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

// isNearer reports whether probability a is nearer to the policy's own than b.
func (p Policy) isNearer(decision string, a, b float64) bool {
	own := p[decision].Probability
	return max(a-own, own-a) < max(b-own, own-b)
}

// Count returns the number of lines that the policy decides right, and the number with an
// undeserved ending.
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

// wantedDecisions returns the decisions that are choices of the lines, without the aside,
// which is made where all others are held back.
func wantedDecisions(lines []Line) []string {
	seen := map[string]bool{}
	for i := range lines {
		for j := range lines[i].Choices[:len(lines[i].Choices)-1] {
			seen[lines[i].Choices[j].Decision] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
