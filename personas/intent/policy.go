package intent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/parley-npc/parley/personas"
)

// A Choice is a possible decision about a message.
type Choice struct {
	Decision    string  // "pass", "redirect", "reject", "kick_out", "follow_up" or "aside"
	Probability float64 // from 0 to 1
	// Loses marks a pass to a terminal state with the outcome REJECT. The thresholds of a reject
	// apply.
	Loses bool
	// Evidence is nil if the judge provides only probabilities.
	Evidence *Evidence
}

func (c *Choice) effect() string {
	if c.Loses {
		return kindNames[reject]
	}
	return c.Decision
}

// Evidence is the similarity of a message to the author's texts for a choice, from 0 to 1.
type Evidence struct {
	Near  float64 // similarity of the nearest text of the choice
	Other float64 // similarity of the nearest text of an aside, or of a pass if the choice is not a pass
}

// A Threshold contains the minimum values for a decision.
type Threshold struct {
	Probability float64 // in sum over all choices with the decision
	Near        float64 // minimum of Evidence.Near
	Behind      float64 // maximum of Evidence.Other minus Evidence.Near, or 0 for any
	// Sure is the minimum probability of a decision that skips Near and Behind. 0 disables Sure.
	Sure float64
	// Ask is the minimum probability of a failed decision that the character asks about. 0 disables
	// Ask.
	Ask float64
}

// A Policy contains thresholds by decision. Decisions without thresholds are not limited. All
// models share a Policy, so the rules of a game stay the same.
type Policy map[string]Threshold

// A PolicyVerdict contains the index and the probability of a choice. If Ask is set, the character
// asks whether the player meant Choice.
type PolicyVerdict struct {
	Choice      int
	Probability float64
	Ask         bool
	Why         string // why a more probable choice was not made, or ""
}

// Decide returns the most probable choice of the most probable decision that meets its thresholds.
// If mayAsk is set, the character may ask about a failed decision. The fallback is the last choice,
// an aside.
func (p Policy) Decide(choices []Choice, mayAsk bool) PolicyVerdict {
	total := make(map[string]float64)
	for i := range choices {
		total[choices[i].effect()] += choices[i].Probability
	}
	why, mostDoubted := "", 0.0
	for _, i := range byProbability(choices, total) {
		choice := &choices[i]
		threshold, probability := p[choice.effect()], total[choice.effect()]
		// A reject directly after a question of the character needs only Ask.
		if !mayAsk && choice.Decision == kindNames[reject] && threshold.Ask > 0 {
			threshold.Probability = min(threshold.Probability, threshold.Ask)
		}
		failure := threshold.failure(choice, probability)
		switch {
		case choice.effect() == kindNames[pass] && 2*probability <= mostDoubted: // most of the message is an insult
		case failure == "":
			return PolicyVerdict{Choice: i, Probability: probability, Why: why}
		case mayAsk && why == "" && threshold.Ask > 0 && probability >= threshold.Ask:
			return PolicyVerdict{Choice: i, Probability: probability, Ask: true, Why: failure}
		case why == "":
			why = failure
		}
		if threshold.Ask > 0 {
			mostDoubted = max(mostDoubted, probability)
		}
	}
	last := len(choices) - 1
	return PolicyVerdict{Choice: last, Probability: total[choices[last].effect()], Why: why}
}

func byProbability(choices []Choice, total map[string]float64) []int {
	var order []int
	for i := range choices {
		same := slices.IndexFunc(order, func(k int) bool { return choices[k].effect() == choices[i].effect() })
		if same < 0 {
			order = append(order, i)
		} else if choices[i].Probability > choices[order[same]].Probability {
			order[same] = i
		}
	}
	slices.Sort(order)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(total[choices[b].effect()], total[choices[a].effect()])
	})
	return order
}

func (t *Threshold) failure(c *Choice, probability float64) string {
	e := c.Evidence
	switch {
	case probability < t.Probability:
		return fmt.Sprintf("%s %.2f, needs %.2f", c.Decision, probability, t.Probability)
	case e == nil || t.Sure > 0 && probability >= t.Sure:
		return ""
	case e.Near < t.Near:
		return fmt.Sprintf("%s %.2f, but not like any of its examples (%.2f, needs %.2f)",
			c.Decision, probability, e.Near, t.Near)
	case t.Behind > 0 && e.Other-e.Near > t.Behind:
		return fmt.Sprintf("%s %.2f, but more like an example of another decision (%.2f, %.2f)",
			c.Decision, probability, e.Near, e.Other)
	}
	return ""
}

// A Line is a message with its correct decision and a judge's choices.
type Line struct {
	Choices []Choice // the aside is last
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

// Fit returns a copy with the probability thresholds that decide most lines correctly. An
// undeserved ending weighs like three wrong lines. An error of check ends the fit.
func (p Policy) Fit(lines []Line, check func() error) (Policy, error) {
	best := Policy{}
	maps.Copy(best, p)
	for range fitRounds {
		for _, decision := range kindNames[:aside] { // the aside is the fallback
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

// Count returns the numbers of correctly decided lines and of undeserved endings.
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
