package prove

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/parley-npc/parley/personas"
)

func (p *machineProof) whyNoState(state int) string {
	var transitions []int
	redirect := -1
	for _, i := range p.transitionsToStates()[state] {
		t := &p.g.doc.Transitions[i]
		switch {
		case t.Decision == personas.DecidePass, t.Decision == personas.DecideReject && p.g.scoring:
			transitions = append(transitions, i)
		default:
			redirect = i
		}
	}
	switch {
	case len(transitions) > 0:
		verb := "lead"
		if len(transitions) == 1 {
			verb = "leads"
		}
		return fmt.Sprintf("only %s %s to it, and %s",
			listFirst(transitions, p.describeTransition), verb, p.whyNotPlayed(transitions))
	case redirect >= 0:
		return fmt.Sprintf("no pass or reject leads to it; %s is a %s, which does not change the state",
			p.describeTransition(redirect), p.g.doc.Transitions[redirect].Decision)
	}
	return "no transition leads to it"
}

func (p *machineProof) transitionsToStates() [][]int {
	if p.transitionsByTarget == nil {
		p.transitionsByTarget = make([][]int, len(p.g.doc.States))
		for i := range p.g.doc.Transitions {
			if t := &p.g.doc.Transitions[i]; t.To != "" && t.To != t.From {
				to := p.g.index[t.To]
				p.transitionsByTarget[to] = append(p.transitionsByTarget[to], i)
			}
		}
	}
	return p.transitionsByTarget
}

func (p *machineProof) whyNotPlayed(transitions []int) string {
	var states []int
	seen := map[int]bool{}
	for _, i := range transitions {
		if from := p.g.index[p.g.doc.Transitions[i].From]; !seen[from] {
			seen[from] = true
			states = append(states, from)
		}
	}
	return listFirst(states, func(state int) string {
		return fmt.Sprintf("%q %s", p.g.doc.States[state].Key, p.whyIdle(state))
	})
}

func (p *machineProof) whyIdle(state int) string {
	s := &p.g.doc.States[state]
	switch {
	case s.IsTerminal && p.canStand[state]:
		return "ends the machine when it is entered"
	case s.IsTerminal:
		return "is terminal"
	case p.canStand[state]:
		return fmt.Sprintf("is only entered with a score at or below the early_fail_bound of %d", p.g.bound)
	}
	return "cannot be reached"
}

func (p *machineProof) whyNoOutcome(o personas.Outcome) string {
	switch {
	case o == personas.KickOut:
		return p.whyNoTransition(personas.DecideKickOut)
	case !p.g.scoring && o == personas.Reject:
		return p.whyNoTransition(personas.DecideReject) + ", and no terminal state that can be reached means REJECT"
	case !p.g.scoring:
		return p.whyNoTerminal("no terminal state that can be reached means ACCEPT")
	case o == personas.Accept && p.terminalScores.met:
		return fmt.Sprintf("the greatest score in a terminal state is %s, below the pass_threshold of %d",
			p.terminalScores.high, p.g.doc.Threshold())
	case o == personas.Accept:
		why := fmt.Sprintf("the early_fail_bound of %d ends the machine before any terminal state", p.g.bound)
		return p.whyNoTerminal(why)
	case p.terminalScores.met:
		return fmt.Sprintf("the least score in a terminal state is %s, not below the pass_threshold of %d, "+
			"and no score falls to the early_fail_bound of %d",
			p.terminalScores.low, p.g.doc.Threshold(), p.g.bound)
	}
	return p.whyNoTerminal("") + fmt.Sprintf(", and no score falls to the early_fail_bound of %d", p.g.bound)
}

func (p *machineProof) whyNoTerminal(otherwise string) string {
	var terminals []int
	for i := range p.g.doc.States {
		if !p.g.doc.States[i].IsTerminal {
			continue
		}
		if p.canStand[i] && otherwise != "" {
			return otherwise
		}
		terminals = append(terminals, i)
	}
	if len(terminals) == 0 {
		return "the machine has no terminal state"
	}
	quoteKey := func(i int) string { return strconv.Quote(p.g.doc.States[i].Key) }
	return "no terminal state can be reached: " + listFirst(terminals, quoteKey)
}

func (p *machineProof) whyNoTransition(d personas.Decision) string {
	var transitions []int
	for i := range p.g.doc.Transitions {
		if p.g.doc.Transitions[i].Decision == d {
			transitions = append(transitions, i)
		}
	}
	if len(transitions) == 0 {
		return fmt.Sprintf("there is no %s transition", d)
	}
	return fmt.Sprintf("%s cannot fire: %s", listFirst(transitions, p.describeTransition), p.whyNotPlayed(transitions))
}

func (p *linkProof) whyClosed(i int) string {
	link := &p.doc.Links[i]
	source := &p.report.Machines[p.index[link.Source]]
	if p.ends[i].ok {
		return fmt.Sprintf("machine %q can never be started", link.Source)
	}
	least, greatest := Inf, NegInf
	for _, o := range source.Outcomes {
		if o.Reachable {
			least, greatest = min(least, *o.Min), max(greatest, *o.Max)
		}
	}
	switch {
	case least == Inf:
		return fmt.Sprintf("machine %q never ends", link.Source)
	case link.Condition == personas.IfScoreGTE:
		return fmt.Sprintf("the greatest score with which machine %q ends is %s, below %d", link.Source, greatest, link.Score)
	case link.Condition == personas.IfScoreLTE:
		return fmt.Sprintf("the least score with which machine %q ends is %s, above %d", link.Source, least, link.Score)
	}
	why := ""
	if o := source.OutcomeOf(link.Outcome); o != nil {
		why = ": " + o.Reason
	}
	return fmt.Sprintf("machine %q cannot end with %s%s", link.Source, link.Outcome, why)
}

func (p *linkProof) whyLocked(i int) string {
	links := listFirst(p.linksTo[i], func(j int) string {
		return fmt.Sprintf("the %s link (from %q)", personas.Ordinal(j), p.doc.Links[j].Source)
	})
	return "the machine is not an entry machine, and no link to it can open: " + links
}

func (p *machineProof) describeTransition(i int) string {
	return "the " + personas.Ordinal(i) + " transition (" + p.g.doc.Transitions[i].Title() + ")"
}

const maxShown = 4

func listFirst(items []int, describe func(int) string) string {
	var names []string
	for i, item := range items {
		if i == maxShown-1 && len(items) > maxShown {
			names = append(names, fmt.Sprintf("%d more", len(items)-i))
			break
		}
		names = append(names, describe(item))
	}
	return strings.Join(names, ", ")
}
