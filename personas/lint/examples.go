package lint

import (
	"github.com/parley-npc/parley/personas"
)

// The checks of which decisions a state's offline examples stand for
// (docs/persona-file.md, "Play without a model").

var examplesMissing = Check{
	Name: "examples-missing", Severity: Info, mean: findNoExamples,
	Summary: "In a state with offline examples, a decision without any is hardly ever chosen in play without a model.",
	Why: "The built-in model compares a message with examples, and only then with the words of conditions and criteria, which players seldom use. A pass, reject or kick_out without examples can hardly win against the decisions of the state that have some: " +
		"\"I will steal your boat\" is then taken for whatever example is nearest. Add two or three things that a player might say. With a real model this changes nothing.",
	Good: "            reject: [\"I spit.\"]", Bad: "            redirect: [\"Is it deep?\"]",
}

func findNoExamples(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		for state := range m.States {
			if !m.isPlayed(state) || !m.hasExamples(state) {
				continue
			}
			for _, d := range [...]personas.Decision{personas.DecidePass, personas.DecideReject, personas.DecideKickOut} {
				m.findDecisionWithoutExamples(state, d, report)
			}
		}
	}
}

func (m *machineContext) hasExamples(state int) bool {
	has := false
	m.eachExample(state, func(exampleUse) { has = true })
	return has
}

// findDecisionWithoutExamples reports what the built-in model tells apart and has no
// examples. Of a pass without any words offline-pass-missing tells, or missing-condition.
func (m *machineContext) findDecisionWithoutExamples(state int, d personas.Decision, report reporter) {
	told := m.tellsOffline(state, d)
	for _, row := range m.rowsWithoutExamples(state, d) {
		words := m.wordsOf(state, row)
		switch {
		case told && words != "":
			report(m.transitionPath(row), "state %q has offline examples, but none for this %s, so the built-in model has only the words of its %s to compare a message with; add two or three things that a player might say", m.States[state].Key, d, words)
		case told || d != personas.DecidePass:
			report(m.transitionPath(row), "state %q has offline examples, but nothing for this %s, so the built-in model hardly ever chooses it", m.States[state].Key, d)
		}
	}
}

// rowsWithoutExamples lists the first row of each choice of a decision that the built-in
// model has and that has no examples: each pass with a condition is one, and else all rows
// of a decision are one together.
func (m *machineContext) rowsWithoutExamples(state int, d personas.Decision) []int {
	if len(m.examplesFor(state, d)) > 0 {
		return nil
	}
	var rows []int
	for row := range m.rowsFor(state, d) {
		switch apart := d == personas.DecidePass && m.hasOwnWords(row); {
		case len(m.ownExamples(row)) > 0 && !apart:
			return nil
		case len(m.ownExamples(row)) == 0 && (apart || row == m.firstRow(state, d)):
			rows = append(rows, row)
		}
	}
	return rows
}

// wordsOf names where the words stand that say when a row fires; "" where there are none.
func (m *machineContext) wordsOf(state, row int) string {
	t := &m.Transitions[row]
	switch {
	case t.Condition == "" && m.criterionFor(state, t.Decision) != "":
		return "criterion"
	case t.Condition != "" || t.Decision != personas.DecidePass:
		return "condition"
	}
	return ""
}

var examplesShared = Check{
	Name: "examples-shared", Severity: Info, mean: findSharedExamples,
	Summary: "Examples of a state stand for all of its passes alike, so that mostly the first one takes them.",
	Why: "With a real model the conditions tell several passes apart. The built-in model counts offline.examples.pass of the state for each of them, and where nothing else speaks for another one it takes the first. " +
		"Put each example under offline.examples of the transition that it is for.",
	Good: "      - from_state_key: well\n        to_state_key: gone\n",
	Bad:  "      - {from_state_key: well, to_state_key: well, decision_type: pass, condition: The player draws water for others.}\n      - from_state_key: well\n        to_state_key: gone\n",
}

// findSharedExamples reports a state's examples for several passes. Where two passes have
// no words of their own, missing-condition tells.
func findSharedExamples(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		for state := range m.States {
			if len(m.examplesFor(state, personas.DecidePass)) == 0 || !m.isPlayed(state) || !m.hasDifferentPasses(state) {
				continue
			}
			first := m.Transitions[m.firstRow(state, personas.DecidePass)].To
			report(m.statePath(state)+".offline.examples.pass", "these examples stand for each pass of %q alike, so that the built-in model mostly takes the first one, to %q; put each under offline.examples of the transition that it is for", m.States[state].Key, first)
		}
	}
}

// hasDifferentPasses tells whether a state has passes that do not do the same, of which at
// most one has no words of its own.
func (m *machineContext) hasDifferentPasses(state int) bool {
	first, bare, differ := m.firstRow(state, personas.DecidePass), 0, false
	for row := range m.rowsFor(state, personas.DecidePass) {
		if !m.hasOwnWords(row) {
			bare++
		}
		t, f := &m.Transitions[row], &m.Transitions[first]
		differ = differ || t.To != f.To || m.usesScores() && t.ScoreDelta != f.ScoreDelta
	}
	return differ && bare < 2
}
