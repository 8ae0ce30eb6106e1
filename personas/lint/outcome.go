package lint

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/prove"
)

// The checks of how a machine ends: its outcomes and its points.

var machineNeverWon = Check{
	Name: "machine-never-won", Severity: Error, mean: findNeverWon,
	Summary: "A machine that no player can ever win is no game.",
	Why: "ACCEPT is what players play for, and links mostly wait for it. Whatever a player says here, the machine ends without it, or never ends. " +
		"The message says why: no terminal state can be reached, each of them says terminal_outcome: REJECT, or a bound ends the machine first. " +
		"A service takes such a persona, but `parley persona save` does not send it. Where losing is meant, declare it with x-unbeatable: true in the machine; " +
		"for a whole project, lint.severity in .parley.yaml makes a warning of it.",
	Good: "      - state_key: gone\n        is_terminal_state: true",
	Bad:  "      - state_key: gone\n        is_terminal_state: true\n        terminal_outcome: REJECT",
}

// findNeverWon reports machines in which nothing leads to ACCEPT, whatever the cause. A
// threshold that is too high has a check of its own.
func findNeverWon(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		if m.proof == nil || m.canReach(personas.Accept) || m.isDeclaredUnbeatable() || m.hasUnmetThreshold() {
			continue
		}
		report(m.path, "machine %q can never be won: %s; lead a pass to an end that means ACCEPT, or declare it with x-unbeatable: true", m.Key, m.proof.OutcomeOf(personas.Accept).Reason)
	}
}

// isDeclaredUnbeatable reports whether the author says that the machine, or a state that is
// played in it, is there to be lost.
func (m *machineContext) isDeclaredUnbeatable() bool {
	if isUnbeatable(m.Extra) {
		return true
	}
	for i := range m.States {
		if m.isPlayed(i) && isUnbeatable(m.States[i].Extra) {
			return true
		}
	}
	return false
}

var outcomeImpossible = Check{
	Name: "outcome-impossible", Severity: Warning, mean: findImpossible,
	Summary: "A machine that rejects but can never be lost is not the game that it looks like.",
	Why: "A machine that counts points and has reject transitions should let a bad talk end below its pass_threshold. " +
		"Take more points away, ask for more, or drop the rejects.",
	Good: "      - from_state_key: outside\n        decision_type: redirect",
	Bad:  "      - from_state_key: outside\n        to_state_key: inside\n        decision_type: reject\n        score_delta: 3",
}

// findImpossible reports machines that can never be lost although they reject. What follows
// from states that cannot be reached is left out.
func findImpossible(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		if m.proof == nil || m.hasCutOffStates() || m.hasNoWayOn() {
			continue
		}
		if m.usesScores() && m.canReach(personas.Accept) && !m.canReach(personas.Reject) && m.hasFiringRow(personas.DecideReject) {
			report(m.path+".states", "machine %q rejects but can never be lost: %s; let a reject cost more, or raise pass_threshold", m.Key, m.proof.OutcomeOf(personas.Reject).Reason)
		}
	}
}

func (m *machineContext) canReach(o personas.Outcome) bool { return m.proof.OutcomeOf(o).Reachable }

// hasFiringRow reports whether any row of a decision fires.
func (m *machineContext) hasFiringRow(d personas.Decision) bool {
	for i := range m.Transitions {
		if m.Transitions[i].Decision == d && m.proof.Transitions[i].Fires {
			return true
		}
	}
	return false
}

var thresholdNeverMet = Check{
	Name: "threshold-never-met", Severity: Error, mean: findUnmet,
	Summary: "A pass_threshold that no play can reach makes every ending a REJECT.",
	Why: "Even a player who does everything right comes to the end with too few points and is refused. " +
		"Lower pass_threshold, which is 3 where nothing is said, or give the pass transitions a greater score_delta. " +
		"A machine that should not count at all says scoring_mode: pass_fail.",
	Good: "score_delta: 3", Bad: "score_delta: 2",
}

func findUnmet(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		if m.proof == nil || m.canReach(personas.Accept) || m.isDeclaredUnbeatable() || !m.hasUnmetThreshold() {
			continue
		}
		report(numberPath(&m, "pass_threshold", m.PassThreshold), "machine %q can never be won: the greatest score at its end is %s, below the pass_threshold of %d; lower it or give more points",
			m.Key, m.proof.Peak, m.Threshold())
	}
}

// hasUnmetThreshold reports whether nothing but pass_threshold keeps players from winning a
// machine that cannot be won.
func (m *machineContext) hasUnmetThreshold() bool {
	return m.usesScores() && !m.hasCutOffStates() && m.whyMasked() == "" && m.proof.Peak != nil
}

// numberPath returns the path of a number, or of the machine where the number is not
// given.
func numberPath(m *machineContext, member string, n *int) string {
	if n == nil {
		return m.path
	}
	return m.path + "." + member
}

var earlyFailMasks = Check{
	Name: "early-fail-masks", Severity: Warning, mean: findMasked,
	Summary: "An early_fail_bound that is too high ends plays which should go on.",
	Why: "A score at or below early_fail_bound ends the machine with REJECT at once, after every message. A player begins with 0 points, so a bound of 0 or more " +
		"refuses whoever does not score with the first sentence, and a bound at pass_threshold or above refuses even the winner. " +
		"Use a negative bound that leaves room for a mistake; it is -3 where nothing is said.",
	Good: "  - machine_key: gate\n", Bad: "  - machine_key: gate\n    early_fail_bound: 0\n",
}

func findMasked(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		if m.proof == nil || !m.usesScores() {
			continue
		}
		if why := m.whyMasked(); why != "" {
			report(numberPath(&m, "early_fail_bound", m.EarlyFailBound), "machine %q ends too early: %s; lower early_fail_bound", m.Key, why)
			continue
		}
		for i := range m.States {
			if m.isMasked(i) {
				report(m.statePath(i), "nobody is ever asked anything in state %q: it is only entered with a score at or below the early_fail_bound of %d, which ends the machine", m.States[i].Key, m.FailBound())
			}
		}
	}
}

// isMasked reports whether a state is only entered when the bound ends the machine.
func (m *machineContext) isMasked(state int) bool {
	return m.isReachable(state) && !m.isPlayed(state) && !m.States[state].IsTerminal
}

// whyMasked returns why the early_fail_bound is too high; "" when it is not.
func (m *machineContext) whyMasked() string {
	bound := m.FailBound()
	switch {
	case !m.usesScores():
		return ""
	case bound >= m.Threshold():
		return fmt.Sprintf("early_fail_bound is %d, so the pass_threshold of %d is not enough for ACCEPT", bound, m.Threshold())
	case bound >= 0:
		return fmt.Sprintf("early_fail_bound is %d and the player begins with 0 points, so a first message that earns no more than that is a REJECT", bound)
	case !m.canReach(personas.Accept) && m.proof.Peak == nil && m.endsAnywhere() && !m.hasCutOffStates():
		return fmt.Sprintf("every way to its end falls to the early_fail_bound of %d first", bound)
	}
	return ""
}

var passFailWithScores = Check{
	Name: "pass-fail-with-scores", Severity: Warning, mean: findIdleScores,
	Summary: "Points have no effect in a machine that passes or fails.",
	Why: "With scoring_mode: pass_fail the score stays 0: no score_delta is added, pass_threshold and early_fail_bound are not looked at, and a link that asks for a score sees 0. " +
		"Remove the numbers, or write scoring_mode: scoring if the points are meant.",
	Good: "    scoring_mode: pass_fail\n", Bad: "    scoring_mode: pass_fail\n    pass_threshold: 5\n",
}

func findIdleScores(s *checkContext, report reporter) {
	p := s.p
	for i := range p.Machines {
		m := &p.Machines[i]
		if idle := idleNumbers(m); m.Mode() == personas.PassFail && len(idle) > 0 {
			report(machinePath(i)+".scoring_mode", "machine %q passes or fails and its score stays 0, so these have no effect: %s; remove them or count points with scoring_mode: scoring", m.Key, strings.Join(idle, ", "))
		}
	}
}

func idleNumbers(m *personas.Machine) []string {
	var idle []string
	if m.PassThreshold != nil {
		idle = append(idle, "pass_threshold")
	}
	if m.EarlyFailBound != nil {
		idle = append(idle, "early_fail_bound")
	}
	deltas := 0
	for i := range m.Transitions {
		if m.Transitions[i].ScoreDelta != 0 {
			deltas++
		}
	}
	if deltas > 0 {
		idle = append(idle, fmt.Sprintf("score_delta (of %s)", countNoun(deltas, "transition")))
	}
	return idle
}

func countNoun(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

var terminalOutcomeIdle = Check{
	Name: "terminal-outcome-ignored", Severity: Warning, mean: findIdleOutcomes,
	Summary: "terminal_outcome counts only for a terminal state of a machine that passes or fails.",
	Why: "Where points are counted, the score alone decides between ACCEPT and REJECT when a terminal state is reached; and a state that is not terminal ends nothing. " +
		"Write scoring_mode: pass_fail, mark the state with is_terminal_state: true, or remove the member.",
	Good: "        label: Inside the walls\n", Bad: "        label: Inside the walls\n        terminal_outcome: REJECT\n",
}

func findIdleOutcomes(s *checkContext, report reporter) {
	p := s.p
	for i := range p.Machines {
		m := &p.Machines[i]
		for j := range m.States {
			st := &m.States[j]
			switch path := statePath(i, j) + ".terminal_outcome"; {
			case st.TerminalOutcome == personas.NoOutcome:
			case !st.IsTerminal:
				report(path, "state %q is not terminal, so its terminal_outcome has no effect; mark it with is_terminal_state: true or remove this", st.Key)
			case m.Mode() == personas.Scoring:
				report(path, "machine %q counts points, so the score decides and not terminal_outcome; write scoring_mode: pass_fail or remove this", m.Key)
			}
		}
	}
}

var tooWide = Check{
	Name: "too-wide-to-prove", Severity: Info, mean: findTooWide,
	Summary: "A machine whose numbers are too many to follow is not checked for what can happen in it.",
	Why: "The checks of states, outcomes and links follow every score that a player can have. Machines with very many redirects to count that give different points, or with deltas that have nothing in common, " +
		"take too much work for that, and all machines of a file share one budget. Nothing is wrong with the persona, but mistakes of that kind stay unseen. Smaller numbers or a lower max_redirects help.",
	Good: "        is_terminal_state: true\n    transitions:\n      - from_state_key: outside\n        to_state_key: inside",
	Bad: "        is_terminal_state: true\n      - state_key: queue\n        max_redirects: 900000000\n        evaluation_criteria: {pass: The player waits.}\n    transitions:\n" +
		"      - {from_state_key: queue, decision_type: redirect, score_delta: 1, condition: The player waits.}\n" +
		"      - {from_state_key: queue, decision_type: redirect, score_delta: 2, condition: The player waits and smiles.}\n" +
		"      - {from_state_key: queue, to_state_key: inside, decision_type: pass}\n" +
		"      - {from_state_key: outside, to_state_key: queue, decision_type: pass, condition: The player stands in line.}\n" +
		"      - from_state_key: outside\n        to_state_key: inside",
}

func findTooWide(s *checkContext, report reporter) {
	s.proofReport()
	if s.err != nil {
		report("machines", "what can happen in these machines was not checked: %s", strings.TrimPrefix(s.err.Error(), prove.ErrTooWide.Error()+": "))
	}
}
