package lint

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/prove"
)

var machineNeverWon = Check{
	Name: "machine-never-won", Severity: Error, mean: findNeverWon,
	Summary: "No player can win this machine.",
	Why: "It ends without ACCEPT, or never. The message names the cause: no terminal state is reachable, " +
		"all have terminal_outcome: REJECT, or a bound ends it first. A service accepts the persona, but " +
		"`parley persona save` does not send it. If losing is intended, write x-unbeatable: true in the " +
		"machine, or lower the check with lint.severity in .parley.yaml.",
	Good: "      - state_key: gone\n        is_terminal_state: true",
	Bad:  "      - state_key: gone\n        is_terminal_state: true\n        terminal_outcome: REJECT",
}

func findNeverWon(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		if m.proof == nil || m.canReach(personas.Accept) || m.isDeclaredUnbeatable() || m.hasUnmetThreshold() {
			continue
		}
		report(m.path, "machine %q can never be won: %s; add a pass to an ending with ACCEPT, or declare it with "+
			"x-unbeatable: true",
			m.Key, m.proof.OutcomeOf(personas.Accept).Reason)
	}
}

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
	Summary: "This machine has rejects but cannot be lost.",
	Why: "In a scoring machine bad answers should end below pass_threshold. Take more points away, raise " +
		"the threshold, or remove the rejects.",
	Good: "      - from_state_key: outside\n        decision_type: redirect",
	Bad:  "      - from_state_key: outside\n        to_state_key: inside\n        decision_type: reject\n        score_delta: 3",
}

func findImpossible(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		if m.proof == nil || m.hasCutOffStates() || m.hasNoWayOn() {
			continue
		}
		if m.usesScores() && m.canReach(personas.Accept) && !m.canReach(personas.Reject) && m.hasFiringReject() {
			report(m.path+".states", "machine %q rejects but can never be lost: %s; take more points for a reject, or "+
				"raise pass_threshold",
				m.Key, m.proof.OutcomeOf(personas.Reject).Reason)
		}
	}
}

func (m *machineContext) canReach(o personas.Outcome) bool { return m.proof.OutcomeOf(o).Reachable }

func (m *machineContext) hasFiringReject() bool {
	for i := range m.Transitions {
		if m.Transitions[i].Decision == personas.DecideReject && m.proof.Transitions[i].Fires {
			return true
		}
	}
	return false
}

var thresholdNeverMet = Check{
	Name: "threshold-never-met", Severity: Error, mean: findUnmet,
	Summary: "No play reaches pass_threshold, so every ending is REJECT.",
	Why: "Lower pass_threshold (default 3), or give passes a greater score_delta. If the machine should " +
		"not count points, write scoring_mode: pass_fail.",
	Good: "score_delta: 3", Bad: "score_delta: 2",
}

func findUnmet(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		if m.proof == nil || m.canReach(personas.Accept) || m.isDeclaredUnbeatable() || !m.hasUnmetThreshold() {
			continue
		}
		report(numberPath(&m, "pass_threshold", m.PassThreshold), "machine %q can never be won: the greatest score at "+
			"its end is %s, below the pass_threshold of %d; lower it or give more points",
			m.Key, m.proof.Peak, m.Threshold())
	}
}

func (m *machineContext) hasUnmetThreshold() bool {
	return m.usesScores() && !m.hasCutOffStates() && m.whyMasked() == "" && m.proof.Peak != nil
}

func numberPath(m *machineContext, member string, n *int) string {
	if n == nil {
		return m.path
	}
	return m.path + "." + member
}

var earlyFailMasks = Check{
	Name: "early-fail-masks", Severity: Warning, mean: findMasked,
	Summary: "early_fail_bound is so high that it ends plays that should continue.",
	Why: "After any message, a score at or below this bound ends the machine with REJECT. A play starts " +
		"with 0 points, so a bound of 0 or more ends it at the first message without points, and a bound " +
		"of pass_threshold or more even after a win. Use a negative bound; the default is -3.",
	Good: "  - machine_key: gate\n", Bad: "  - machine_key: gate\n    early_fail_bound: 0\n",
}

func findMasked(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		if m.proof == nil || !m.usesScores() {
			continue
		}
		if reason := m.whyMasked(); reason != "" {
			report(numberPath(&m, "early_fail_bound", m.EarlyFailBound), "machine %q ends too early: %s; lower early_fail_bound",
				m.Key, reason)
			continue
		}
		for i := range m.States {
			if m.isMasked(i) {
				report(m.statePath(i), "players can never send a message in state %q: it is only entered with a score at or "+
					"below the early_fail_bound of %d, which ends the machine",
					m.States[i].Key, m.FailBound())
			}
		}
	}
}

// isMasked reports whether early_fail_bound ends the machine whenever a player enters the state.
func (m *machineContext) isMasked(state int) bool {
	return m.isReachable(state) && !m.isPlayed(state) && !m.States[state].IsTerminal
}

func (m *machineContext) whyMasked() string {
	bound := m.FailBound()
	switch {
	case !m.usesScores():
		return ""
	case bound >= m.Threshold():
		return fmt.Sprintf("early_fail_bound is %d, so the pass_threshold of %d is not enough for ACCEPT",
			bound, m.Threshold())
	case bound >= 0:
		return fmt.Sprintf("early_fail_bound is %d and the player begins with 0 points, so a first message that earns "+
			"no more than that is a REJECT",
			bound)
	case !m.canReach(personas.Accept) && m.proof.Peak == nil && m.endsAnywhere() && !m.hasCutOffStates():
		return fmt.Sprintf("every way to its end falls to the early_fail_bound of %d first", bound)
	}
	return ""
}

var passFailWithScores = Check{
	Name: "pass-fail-with-scores", Severity: Warning, mean: findIdleScores,
	Summary: "A pass_fail machine ignores points.",
	Why: "With scoring_mode: pass_fail the score stays 0, so score_delta, pass_threshold and " +
		"early_fail_bound are ignored and links compare with 0. Remove them, or write scoring_mode: " +
		"scoring.",
	Good: "    scoring_mode: pass_fail\n", Bad: "    scoring_mode: pass_fail\n    pass_threshold: 5\n",
}

func findIdleScores(s *checkContext, report reporter) {
	p := s.p
	for i := range p.Machines {
		m := &p.Machines[i]
		if idle := idleNumbers(m); m.Mode() == personas.PassFail && len(idle) > 0 {
			report(machinePath(i)+".scoring_mode", "the score of the pass_fail machine %q stays 0, so these have no "+
				"effect: %s; remove them or count points with scoring_mode: scoring",
				m.Key, strings.Join(idle, ", "))
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
	switch {
	case deltas == 1:
		idle = append(idle, "score_delta (of 1 transition)")
	case deltas > 1:
		idle = append(idle, fmt.Sprintf("score_delta (of %d transitions)", deltas))
	}
	return idle
}

var terminalOutcomeIdle = Check{
	Name: "terminal-outcome-ignored", Severity: Warning, mean: findIdleOutcomes,
	Summary: "terminal_outcome counts only for a terminal state of a pass_fail machine.",
	Why: "In scoring machines the score decides, and only a terminal state ends the machine. Write scoring_mode: " +
		"pass_fail, add is_terminal_state: true, or remove the member.",
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
				report(path, "state %q is not terminal, so its terminal_outcome has no effect; add is_terminal_state: true "+
					"or remove this",
					st.Key)
			case m.Mode() == personas.Scoring:
				report(path, "machine %q counts points, so the score decides and not terminal_outcome; write scoring_mode: "+
					"pass_fail or remove this",
					m.Key)
			}
		}
	}
}

var endingIdle = Check{
	Name: "ending-ignored", Severity: Warning, mean: findIdleEndings,
	Summary: "ending names how a machine ends, and the machine does not end here.",
	Why: "Players collect named endings. A name counts on a terminal state, and on a transition that ends " +
		"the machine: one to a terminal state, a kick_out, a reject of a pass_fail machine, or one that lowers the score.",
	Good: "        decision_type: redirect\n    output_variables:", Bad: "        decision_type: redirect\n        ending: The open gate\n    output_variables:",
}

func findIdleEndings(s *checkContext, report reporter) {
	for i := range s.p.Machines {
		m := &s.p.Machines[i]
		terminal := map[string]bool{}
		for j := range m.States {
			st := &m.States[j]
			terminal[st.Key] = st.IsTerminal
			if st.EndingName != "" && !st.IsTerminal {
				report(statePath(i, j)+".ending", "state %q is not terminal, so its ending is never used; add "+
					"is_terminal_state: true or remove this",
					st.Key)
			}
		}
		for j := range m.Transitions {
			if t := &m.Transitions[j]; t.EndingName != "" && !canEnd(m, t, terminal[t.To]) {
				report(transitionPath(i, j)+".ending", "the machine does not end with this transition, so its ending is "+
					"never used; lead it to a terminal state or remove this")
			}
		}
	}
}

func canEnd(m *personas.Machine, t *personas.Transition, toTerminal bool) bool {
	switch {
	case t.Decision == personas.DecideKickOut, m.Mode() == personas.Scoring && t.ScoreDelta < 0:
		return true
	case t.Decision == personas.DecideReject: // without a target, the reject follows the first pass
		return m.Mode() != personas.Scoring || toTerminal || t.To == "" || t.To == t.From
	}
	return t.Decision == personas.DecidePass && toTerminal
}

var tooWide = Check{
	Name: "too-wide-to-prove", Severity: Info, mean: findTooWide,
	Summary: "The machine has too many possible scores, so some checks are skipped.",
	Why: "The checks of states, outcomes and links follow every possible score. Many redirects with different " +
		"points, or very different score_deltas, take too much work, and all machines of a file share one limit. The " +
		"persona is valid, but mistakes may go unseen. Use smaller numbers or a lower max_redirects.",
	Good: "        is_terminal_state: true\n    transitions:\n      - from_state_key: outside\n        to_state_key: inside",
	Bad: "        is_terminal_state: true\n      - state_key: queue\n        max_redirects: 900000000\n        evaluation_criteria: {pass: The player waits.}\n    transitions:\n" +
		"      - {from_state_key: queue, decision_type: redirect, score_delta: 1, condition: The player waits.}\n" +
		"      - {from_state_key: queue, decision_type: redirect, score_delta: 2, condition: The player waits and smiles.}\n" +
		"      - {from_state_key: queue, to_state_key: inside, decision_type: pass}\n" +
		"      - {from_state_key: outside, to_state_key: queue, decision_type: pass, condition: The player stands in line.}\n" +
		"      - from_state_key: outside\n        to_state_key: inside",
}

func findTooWide(s *checkContext, report reporter) {
	if s.err != nil {
		reason := strings.TrimPrefix(s.err.Error(), prove.ErrTooWide.Error()+": ")
		report("machines", "the possible plays of these machines were not checked: %s", reason)
	}
}
