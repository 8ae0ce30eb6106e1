// Package judge contains the policy: it turns a judge's assessment of a message, a probability for
// each choice and the evidence for it, into one verdict. It does not depend on the source of the
// assessment, so that the rules of a game do not change with the model.
package judge

import (
	"cmp"
	"fmt"
	"slices"
)

// A Choice is one thing that a message may mean in a state.
type Choice struct {
	Decision    string  // "pass", "redirect", "reject", "kick_out", "follow_up" or "aside"
	Probability float64 // from 0 to 1; the choices of a state sum to 1
	// Loses means that the choice ends the part, and the player has lost: a pass to a terminal state
	// with the outcome REJECT. It requires what a reject does.
	Loses bool
	// Evidence is nil if the judge does not provide it; then the probability alone decides.
	Evidence *Evidence
}

// The decisions that the policy treats differently: one that ends a part as lost, and one that
// leads on.
const rejects, passes = "reject", "pass"

// effect returns the decision that selects the choice's thresholds.
func (c *Choice) effect() string {
	if c.Loses {
		return rejects
	}
	return c.Decision
}

// Evidence is the similarity of a message to the author's texts for a choice, from 0 to 1.
type Evidence struct {
	Near  float64 // likeness of the nearest text of the choice
	Other float64 // likeness of the nearest text of an aside, or of a pass if the choice is an aside
}

// A Threshold is the minimum that a decision requires.
type Threshold struct {
	Probability float64 // of all choices with the decision together
	Near        float64 // least Evidence.Near
	Behind      float64 // by how much Evidence.Other may be more than Evidence.Near; 0 for any
	// Near and Behind are ignored if the probability is at least Sure; 0 disables that.
	Sure float64
	// If the probability is at least Ask but the decision fails another threshold, or Probability,
	// the character asks for clarification; 0 disables that.
	Ask float64
}

// A Policy has the thresholds of each decision. A decision without any needs nothing.
type Policy map[string]Threshold

// A Verdict is the choice that is made, as an index, and the probability of its decision.
// If Ask is set the character asks instead whether Choice was meant.
type Verdict struct {
	Choice      int
	Probability float64
	Ask         bool
	Why         string // why a more probable choice was not made; "" if there was none
}

// Decide takes the most probable decision that nothing holds back, and of its choices the
// most probable one. A decision with consequences that is held back is asked about, if mayAsk is
// set; right after such a question half the likeness is enough for a reject. A pass is not made if
// a decision with consequences that is held back is twice as probable: what looks most like an
// insult does not win. If all are held back, the verdict is the last choice, the aside.
func (p Policy) Decide(choices []Choice, mayAsk bool) Verdict {
	total := make(map[string]float64)
	for i := range choices {
		total[choices[i].effect()] += choices[i].Probability
	}
	why, mostHeld := "", 0.0
	for _, i := range byProbability(choices, total) {
		c := &choices[i]
		of, probability := p[c.effect()], total[c.effect()]
		if !mayAsk && c.effect() == rejects {
			of.Near /= 2
		}
		held := of.holdsBack(c, probability)
		switch {
		case c.effect() == passes && 2*probability <= mostHeld:
		case held == "":
			return Verdict{Choice: i, Probability: probability, Why: why}
		case mayAsk && why == "" && of.Ask > 0 && probability >= of.Ask:
			return Verdict{Choice: i, Probability: probability, Ask: true, Why: held}
		case why == "":
			why = held
		}
		if of.Ask > 0 {
			mostHeld = max(mostHeld, probability)
		}
	}
	last := len(choices) - 1
	return Verdict{Choice: last, Probability: total[choices[last].effect()], Why: why}
}

// byProbability returns the most probable choice of each decision, the most probable
// decision first.
func byProbability(choices []Choice, total map[string]float64) []int {
	best := make(map[string]int, len(total))
	for i := range choices {
		effect := choices[i].effect()
		if known, ok := best[effect]; !ok || choices[i].Probability > choices[known].Probability {
			best[effect] = i
		}
	}
	var order []int
	for i := range choices {
		if best[choices[i].effect()] == i {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(total[choices[b].effect()], total[choices[a].effect()])
	})
	return order
}

// holdsBack returns the reason why a choice with this probability of its decision is not made; ""
// if it is.
func (t *Threshold) holdsBack(c *Choice, probability float64) string {
	e := c.Evidence
	switch {
	case probability < t.Probability:
		return fmt.Sprintf("%s %.2f, needs %.2f", c.Decision, probability, t.Probability)
	case e == nil || t.Sure > 0 && probability >= t.Sure:
		return ""
	case e.Near < t.Near:
		return fmt.Sprintf("%s %.2f, but like no example of it (%.2f, needs %.2f)", c.Decision, probability, e.Near, t.Near)
	case t.Behind > 0 && e.Other-e.Near > t.Behind:
		return fmt.Sprintf("%s %.2f, but nearer to an example of something else (%.2f, %.2f)", c.Decision, probability, e.Near, e.Other)
	}
	return ""
}
