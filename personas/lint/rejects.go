package lint

import (
	"math"
	"slices"

	"github.com/parley-npc/parley/personas"
)

var rejectFallsToPass = Check{
	Name: "reject-falls-to-pass", Severity: Warning, mean: findFallingRejects,
	Summary: "A reject without its own target leads to the target of the state's first pass.",
	Why: "In scoring machines a reject moves to its to_state_key; without one, or with the state's own " +
		"key, it follows the first pass. With several passes that is an arbitrary branch. Write the " +
		"intended to_state_key, or use a redirect to stay and lose points.",
	Good: branchGood,
	Bad: "        is_terminal_state: true\n      - {state_key: cell, is_terminal_state: true}\n    transitions:\n" +
		"      - {from_state_key: outside, to_state_key: cell, decision_type: pass, priority: 1, condition: The player shouts.}\n" +
		"      - {from_state_key: outside, decision_type: reject, score_delta: -1, condition: The player lies.}\n" +
		"      - from_state_key: outside\n        to_state_key: inside",
}

const branchGood = "        is_terminal_state: true\n    transitions:\n      - from_state_key: outside\n        to_state_key: inside"

func findFallingRejects(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		if m.proof == nil || !m.usesScores() {
			continue
		}
		for i := range m.Transitions {
			t := &m.Transitions[i]
			state := m.index[t.From]
			pass := m.firstTransition(state, personas.DecidePass)
			if t.Decision != personas.DecideReject || !m.proof.Transitions[i].Fires || pass < 0 {
				continue
			}
			first := m.Transitions[pass].To
			switch {
			case t.To == t.From && first != t.From:
				report(m.transitionPath(i)+".to_state_key", "this reject does not stay in %q: a reject to its own state "+
					"leads to the target of the first pass, %q; set another state, or use a redirect to stay",
					t.From, first)
			case t.To == "" && len(m.passTargets(state)) > 1:
				report(m.transitionPath(i), "this reject of %q has no to_state_key, so the player moves to %q, the target of "+
					"the first of %d passes; set to_state_key, or use a redirect to stay",
					t.From, first, len(m.passTargets(state)))
			}
		}
	}
}

var rejectLeadsLikePass = Check{
	Name: "reject-leads-like-pass", Severity: Warning, mean: findRejectsLikePasses,
	Summary: "A reject and a pass lead to the same state.",
	Why: "In a scoring machine a rejected player continues like an accepted one; only the points " +
		"differ, and the machine can still be won. Lead the reject to another state, such as a terminal " +
		"one, or make it a redirect that costs points. If a rejected player should continue, as in a quiz, " +
		"write x-goes-on: true in the state or its machine. A reject that always loses the machine by its " +
		"score is not reported.",
	Good: branchGood,
	Bad: "        is_terminal_state: true\n      - {state_key: hall, evaluation_criteria: {pass: The player bows.}}\n    transitions:\n" +
		"      - {from_state_key: outside, to_state_key: hall, decision_type: pass, priority: 1, condition: The player knocks.}\n" +
		"      - {from_state_key: outside, to_state_key: hall, decision_type: reject, score_delta: -1, condition: The player lies.}\n" +
		"      - {from_state_key: hall, to_state_key: inside, decision_type: pass, score_delta: 4}\n" +
		"      - {from_state_key: hall, to_state_key: inside, decision_type: reject, score_delta: -4, condition: The player spits.}\n" +
		"      - from_state_key: outside\n        to_state_key: inside",
}

func findRejectsLikePasses(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		// outcome-impossible reports a machine that cannot be lost.
		if m.proof == nil || !m.usesScores() || declares(m.Extra, goesOn) || !m.canReach(personas.Reject) {
			continue
		}
		for i := range m.Transitions {
			t := &m.Transitions[i]
			state := m.index[t.From]
			if t.Decision != personas.DecideReject || !m.proof.Transitions[i].Fires || declares(m.States[state].Extra, goesOn) {
				continue
			}
			to := m.rejectTarget(i, m.firstTransition(state, personas.DecidePass))
			isTold := t.To == t.From || t.To == "" && len(m.passTargets(state)) > 1 // reported by reject-falls-to-pass
			if to == "" || to == t.From || isTold || !slices.Contains(m.passTargets(state), to) {
				continue
			}
			if !m.proof.Transitions[i].GoesOn {
				continue
			}
			report(m.transitionPath(i), "a reject and a pass of %q both lead to %q, so rejected players continue like "+
				"accepted ones; lead the reject to another state, make it a redirect that costs points, or declare "+
				"x-goes-on: true in the state or its machine",
				t.From, to)
		}
	}
}

const goesOn = "x-goes-on"

func (m *machineContext) passTargets(state int) []string {
	var targets []string
	for _, i := range m.outgoing[state] {
		if t := &m.Transitions[i]; t.Decision == personas.DecidePass && !slices.Contains(targets, t.To) && len(targets) < 10 {
			targets = append(targets, t.To)
		}
	}
	return targets
}

var redirectsFallToPass = Check{
	Name: "redirects-fall-to-pass", Severity: Warning, mean: findFallingRedirects,
	Summary: "When redirects run out, the player follows the first of several passes.",
	Why: "The redirect after max_redirects is a reject. In a scoring machine a state without a reject " +
		"transition then moves the player along its first pass. Add a reject with the intended " +
		"to_state_key, or remove max_redirects.",
	Good: branchGood,
	Bad: "        is_terminal_state: true\n      - {state_key: cell, is_terminal_state: true}\n    transitions:\n" +
		"      - {from_state_key: outside, to_state_key: cell, decision_type: pass, priority: 1, condition: The player shouts.}\n" +
		"      - from_state_key: outside\n        to_state_key: inside",
}

func findFallingRedirects(s *checkContext, report reporter) {
	for m, i := range s.eachState() {
		if !m.usesScores() || !m.isPlayed(i) || m.States[i].MaxRedirects == nil {
			continue
		}
		if m.firstTransition(i, personas.DecideReject) >= 0 {
			continue
		}
		if targets := m.passTargets(i); len(targets) > 1 && m.canSpendRedirects(i) {
			report(m.statePath(i)+".max_redirects", "when the redirects of %q are used up, the player moves to %q, the "+
				"target of the first of %d passes; add a reject with the intended target",
				m.States[i].Key, targets[0], len(targets))
		}
	}
}

// canSpendRedirects assumes enough points in every state but the initial one.
func (m *machineContext) canSpendRedirects(state int) bool {
	if !m.States[state].IsInitial || m.firstTransition(state, personas.DecideRedirect) < 0 {
		return true
	}
	gain := math.MinInt
	for i := range m.transitionsFor(state, personas.DecideRedirect) {
		gain = max(gain, m.Transitions[i].ScoreDelta)
	}
	return gain >= 0 || *m.States[state].MaxRedirects*gain > m.FailBound()
}

var wonByReject = Check{
	Name: "won-only-by-reject", Severity: Warning, mean: findWonByReject,
	Summary: "This ending is won only by a reject.",
	Why: "The score can be enough for ACCEPT here, but only if the last step is a reject. Usually a " +
		"decision_type is wrong, or the points of reject and pass are swapped.",
	Good: branchGood,
	Bad: "        is_terminal_state: true\n      - {state_key: cellar, is_terminal_state: true}\n      - {state_key: street, is_terminal_state: true}\n    transitions:\n" +
		"      - {from_state_key: outside, to_state_key: cellar, decision_type: reject, score_delta: 3, condition: The player curses the guard.}\n" +
		"      - {from_state_key: outside, to_state_key: street, decision_type: reject, score_delta: -1, condition: The player leaves.}\n" +
		"      - from_state_key: outside\n        to_state_key: inside",
}

func findWonByReject(s *checkContext, report reporter) {
	for m, i := range s.eachState() {
		if m.proof != nil && m.proof.States[i].WonByReject && !m.proof.States[i].WonOtherwise {
			report(m.statePath(i), "the ending %q can be won only by a reject: no pass leads there with %d points; add "+
				"such a pass, or remove the points from the reject",
				m.States[i].Key, m.Threshold())
		}
	}
}

func (m *machineContext) rejectTarget(i, pass int) string {
	t := &m.Transitions[i]
	switch {
	case t.To != "" && t.To != t.From:
		return t.To
	case pass >= 0:
		return m.Transitions[pass].To
	}
	return ""
}
