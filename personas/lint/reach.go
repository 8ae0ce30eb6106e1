package lint

import (
	"slices"

	"github.com/parley-npc/parley/personas"
)

var unreachableState = Check{
	Name: "unreachable-state", Severity: Warning, mean: findUnreachable,
	Summary: "No player can reach this state.",
	Why: "Usually a transition is missing, leads elsewhere, or its decision does not move the player: only " +
		"a pass does, and a reject in scoring machines. Add the transition or remove the state. `parley " +
		"persona prove` lists how the other states are reached.",
	Good: "      - state_key: inside\n        label: Inside the walls",
	Bad:  "      - state_key: cellar\n      - state_key: inside\n        label: Inside the walls",
}

// findUnreachable skips states behind an unreachable or masked state. early-fail-masks reports the
// masked state.
func findUnreachable(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		if m.proof == nil || m.hasNoWayOn() {
			continue
		}
		masked := make([]bool, len(m.States))
		isUnreachable := func(i int) bool { return !m.isReachable(i) }
		for i := range m.States {
			if m.isMasked(i) {
				for _, to := range m.exitsOf(i) {
					visitFrom(to, masked, isUnreachable, m.exitsOf)
				}
			}
		}
		isRoot := func(i int) bool { return isUnreachable(i) && !masked[i] }
		for _, i := range findRoots(len(m.States), isRoot, m.exitsOf) {
			also := ""
			if slices.ContainsFunc(m.exitsOf(i), isUnreachable) {
				also = ", nor can the states after it"
			}
			report(m.statePath(i), "state %q can never be reached%s: %s; lead a transition here or remove it",
				m.States[i].Key, also, m.proof.States[i].Reason)
		}
	}
}

var deadTransition = Check{
	Name: "dead-transition", Severity: Warning, mean: findDead,
	Summary: "This transition can never fire.",
	Why: "Either a limit such as max_redirects: 0 prevents it, or an earlier transition of the same " +
		"decision without a condition always fires first. Change the limit, give the earlier one a " +
		"condition, or give it a greater priority number.",
	Good: "max_redirects: 2", Bad: "max_redirects: 0",
}

func findDead(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		for i := range m.Transitions {
			if from := m.index[m.Transitions[i].From]; m.isPlayed(from) && !m.proof.Transitions[i].Fires {
				report(m.transitionPath(i), "this %s of %q never fires: %s",
					m.Transitions[i].Decision, m.Transitions[i].From, m.proof.Transitions[i].Reason)
			}
		}
		for state := range m.States {
			m.findShadowed(state, report)
		}
	}
}

func (m *machineContext) findShadowed(state int, report reporter) {
	before := map[personas.Decision]int{}
	for _, i := range m.outgoing[state] {
		t := &m.Transitions[i]
		if first, ok := before[t.Decision]; ok && m.hasOwnWords(i) {
			report(m.transitionPath(i), "this %s of %q never fires: %s, tried before it, has no condition, so it fires "+
				"whenever this one could; give that transition a greater priority or a condition",
				t.Decision, t.From, m.nameTransition(first))
		}
		if _, ok := before[t.Decision]; !ok && !m.hasOwnWords(i) && m.criterionFor(state, t.Decision) == "" {
			before[t.Decision] = i
		}
	}
}

var deadEnd = Check{
	Name: "dead-end", Severity: Warning, mean: findDeadEnds,
	Summary: "No transition leaves this state, and it is not terminal.",
	Why: "The machine can never end from here. If the story ends, write is_terminal_state: true. Otherwise " +
		"add the pass that leads on.",
	Good: "      - state_key: gone\n        is_terminal_state: true\n    transitions:\n",
	Bad: "      - state_key: gone\n        is_terminal_state: true\n      - state_key: cellar\n    transitions:\n" +
		"      - {from_state_key: well, to_state_key: cellar, decision_type: pass, condition: The player goes down the stairs.}\n",
}

func findDeadEnds(s *checkContext, report reporter) {
	for m, i := range s.eachState() {
		if m.isDeadEnd(i) {
			report(m.statePath(i), "players cannot leave state %q: no transition leads to another state and nothing there "+
				"ends the machine; add a pass, or is_terminal_state: true",
				m.States[i].Key)
		}
	}
}

func (m *machineContext) isDeadEnd(state int) bool {
	return m.stuck[state] && len(m.exitsOf(state)) == 0
}

var stuckLoop = Check{
	Name: "stuck-loop", Severity: Warning, mean: findLoops,
	Summary: "These states lead only to each other, so the machine can never end.",
	Why: "No score, limit or kick_out ends it either. Add a transition that leaves the loop, or make one " +
		"of the states terminal.",
	Good: "      - state_key: gone\n        is_terminal_state: true\n    transitions:\n",
	Bad: "      - state_key: gone\n        is_terminal_state: true\n      - state_key: lane\n        evaluation_criteria: {pass: The player turns the corner.}\n" +
		"      - state_key: square\n        evaluation_criteria: {pass: The player asks for the well.}\n    transitions:\n" +
		"      - {from_state_key: lane, to_state_key: square, decision_type: pass}\n" +
		"      - {from_state_key: square, to_state_key: lane, decision_type: pass}\n" +
		"      - {from_state_key: well, to_state_key: lane, decision_type: pass, condition: The player walks away.}\n",
}

func findLoops(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		back := make([][]int, len(m.States))
		for i := range m.States {
			for _, to := range m.exitsOf(i) {
				back[to] = append(back[to], i)
			}
		}
		stuck := func(i int) bool { return m.stuck[i] }
		for _, i := range findRoots(len(m.States), stuck, func(i int) []int { return back[i] }) {
			if m.isDeadEnd(i) {
				continue
			}
			report(m.statePath(i), "players cannot leave state %s: every transition leads back, and nothing ends the "+
				"machine; add a transition that leaves",
				quoteKeys(listCircle(&m, i)))
		}
	}
}

func listCircle(m *machineContext, state int) []string {
	order := visitFrom(state, make([]bool, len(m.States)), func(i int) bool { return m.stuck[i] }, m.exitsOf)
	slices.Sort(order)
	keys := []string{m.States[state].Key}
	for _, i := range order {
		if i != state {
			keys = append(keys, m.States[i].Key)
		}
	}
	return keys
}

var redirectTrap = Check{
	Name: "redirect-trap", Severity: Warning, mean: findTraps,
	Summary: "Every message in this state leads to losing.",
	Why: "The player is redirected until a limit or the score ends the machine with REJECT. Add the pass " +
		"that leads on. If losing is intended, make the state terminal, or write x-unbeatable: true in " +
		"the state or its machine.",
	Good: "      - state_key: gone\n        is_terminal_state: true\n    transitions:\n",
	Bad: "      - state_key: gone\n        is_terminal_state: true\n      - state_key: cellar\n        max_redirects: 2\n    transitions:\n" +
		"      - {from_state_key: well, to_state_key: cellar, decision_type: pass, condition: The player goes down the stairs.}\n",
}

func findTraps(s *checkContext, report reporter) {
	for m, i := range s.eachState() {
		if m.isTrap(i) && !m.stuck[i] && !isUnbeatable(m.Extra) && !isUnbeatable(m.States[i].Extra) {
			reason := "only a loss of points or a kick_out ends the machine"
			if m.States[i].MaxRedirects != nil && !m.usesScores() {
				reason = "after max_redirects the machine ends with REJECT"
			}
			report(m.statePath(i), "state %q can only be lost: no pass leads to another state, and %s; add a pass, or "+
				"make it terminal",
				m.States[i].Key, reason)
		}
	}
}

func isUnbeatable(members personas.Members) bool { return declares(members, "x-unbeatable") }

func declares(members personas.Members, name string) bool {
	return slices.ContainsFunc(members, func(m personas.Member) bool {
		return m.Name == name && string(m.Value) == "true"
	})
}

// isTrap reports whether players can leave a state only by losing. A transition that ends the
// machine at once may be intended.
func (m *machineContext) isTrap(state int) bool {
	st := &m.States[state]
	if !m.isPlayed(state) || st.IsTerminal {
		return false
	}
	if m.firstTransition(state, personas.DecidePass) >= 0 || len(m.exitsOf(state)) > 0 {
		return false
	}
	rejectEnds := !m.usesScores() && m.firstTransition(state, personas.DecideReject) >= 0
	ends := rejectEnds || m.firstTransition(state, personas.DecideKickOut) >= 0
	return !ends || st.MaxRedirects != nil
}
