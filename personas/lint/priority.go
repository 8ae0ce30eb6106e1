package lint

import (
	"github.com/parley-npc/parley/personas"
)

var passTriedLast = Check{
	Name: "pass-tried-last", Severity: Info, mean: findLatePasses,
	Summary: "A priority above 0 on every pass puts them behind the redirects and rejects that have none.",
	Why: "A transition without a priority has 0, and the lowest number is tried first. Numbers that were to order the passes among themselves so give way to each redirect and reject of the state: " +
		"where a message is both, the player does not get on. Let the first pass have 0, or give the redirects and rejects greater numbers.",
	Good: "        score_delta: 3\n", Bad: "        score_delta: 3\n        priority: 1\n",
}

// findLatePasses reports states whose passes all have a priority above 0. A kick_out in
// front of them is mostly meant, and so is what has a number of its own.
func findLatePasses(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		for state := range m.States {
			pass := m.firstRow(state, personas.DecidePass)
			if pass < 0 || m.Transitions[pass].Priority <= 0 || !m.isPlayed(state) {
				continue
			}
			if row := m.unnumberedRow(state); row >= 0 {
				report(m.transitionPath(pass)+".priority", "no pass of %q has a priority of 0 or below, so that %s, which has 0, is tried before them; give that one a greater priority, or this pass 0", m.States[state].Key, m.nameRow(row))
			}
		}
	}
}

// unnumberedRow finds a state's first redirect or reject with priority 0, or -1.
func (m *machineContext) unnumberedRow(state int) int {
	for _, row := range m.rows[state] {
		t := &m.Transitions[row]
		if t.Priority == 0 && (t.Decision == personas.DecideRedirect || t.Decision == personas.DecideReject) {
			return row
		}
	}
	return -1
}
