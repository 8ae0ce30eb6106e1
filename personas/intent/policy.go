package intent

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/parley-npc/parley/personas"
)

// A Choice is one of the possible decisions about a message in a state.
type Choice struct {
	Decision    string  // "pass", "redirect", "reject", "kick_out", "follow_up" or "aside"
	Probability float64 // from 0 to 1; the choices of a state sum to 1
	// Loses means that the machine ends with this choice and the player loses. This is a pass to a
	// terminal state with the outcome REJECT. It has the thresholds of a reject.
	Loses bool
	// Evidence is nil if the judge does not provide it. Only the probability is then used.
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
	Other float64 // similarity of the nearest text of an aside, or of a pass if the choice is an aside
}

// A Threshold contains the minimum values that a decision requires.
type Threshold struct {
	Probability float64 // sum over all choices with the decision
	Near        float64 // minimum of Evidence.Near
	Behind      float64 // maximum by which Evidence.Other may exceed Evidence.Near; 0 means any
	// If the probability is at least Sure, Near and Behind are not checked. 0 disables Sure.
	Sure float64
	// If the probability is at least Ask but the decision fails a threshold, the character asks
	// what the player meant. 0 disables Ask.
	Ask float64
}

// A Policy contains the thresholds of each decision. Other decisions are not limited. It converts a
// judge's assessment of a message, which is a probability and perhaps evidence for each choice, to
// a verdict. It does not depend on the judge, so that the rules of a game are the same for all
// models.
type Policy map[string]Threshold

// A PolicyVerdict is the index of the choice made and the probability of its decision. If Ask is
// set, the character asks whether the player meant Choice.
type PolicyVerdict struct {
	Choice      int
	Probability float64
	Ask         bool
	Why         string // why a more probable choice was not made; "" if there was none
}

// Decide returns the most probable decision that meets its thresholds, and the most probable choice
// with that decision. If a decision at the player's expense fails its thresholds, and mayAsk is
// set, the character may ask what was meant. Directly after such a question a reject needs only
// the probability Ask. A pass is not chosen if a failed decision at the player's expense is at least
// twice as probable, so that a message that mostly resembles an insult does not pass. If all
// decisions fail, the verdict is the last choice, which is the aside.
func (p Policy) Decide(choices []Choice, mayAsk bool) PolicyVerdict {
	total := make(map[string]float64)
	for i := range choices {
		total[choices[i].effect()] += choices[i].Probability
	}
	why, mostHeld := "", 0.0
	for _, i := range byProbability(choices, total) {
		c := &choices[i]
		of, probability := p[c.effect()], total[c.effect()]
		if !mayAsk && c.Decision == kindNames[reject] && of.Ask > 0 {
			of.Probability = min(of.Probability, of.Ask)
		}
		held := of.holdsBack(c, probability)
		switch {
		case c.effect() == kindNames[pass] && 2*probability <= mostHeld:
		case held == "":
			return PolicyVerdict{Choice: i, Probability: probability, Why: why}
		case mayAsk && why == "" && of.Ask > 0 && probability >= of.Ask:
			return PolicyVerdict{Choice: i, Probability: probability, Ask: true, Why: held}
		case why == "":
			why = held
		}
		if of.Ask > 0 {
			mostHeld = max(mostHeld, probability)
		}
	}
	last := len(choices) - 1
	return PolicyVerdict{Choice: last, Probability: total[choices[last].effect()], Why: why}
}

// byProbability returns the most probable choice of each decision, ordered by the probability of
// the decision.
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

// holdsBack returns a text for the trace about the threshold that a choice fails, or "".
// probability is the sum of all choices with the same decision.
func (t *Threshold) holdsBack(c *Choice, probability float64) string {
	e := c.Evidence
	switch {
	case probability < t.Probability:
		return fmt.Sprintf("%s %.2f, needs %.2f", c.Decision, probability, t.Probability)
	case e == nil || t.Sure > 0 && probability >= t.Sure:
		return ""
	case e.Near < t.Near:
		return fmt.Sprintf("%s %.2f, but not like any of its examples (%.2f, needs %.2f)", c.Decision, probability, e.Near, t.Near)
	case t.Behind > 0 && e.Other-e.Near > t.Behind:
		return fmt.Sprintf("%s %.2f, but more like an example of another decision (%.2f, %.2f)", c.Decision, probability, e.Near, e.Other)
	}
	return ""
}

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
