package lint

import (
	"math"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/prove"
)

// Checks of rejects in scoring mode. A reject leads to its own target. If it has none, it leads to
// the target of the state's first pass (docs/persona-file.md, "What a message does").

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
			if t.Decision != personas.DecideReject || !m.proof.Transitions[i].Fires || m.firstTransition(state, personas.DecidePass) < 0 {
				continue
			}
			first := m.Transitions[m.firstTransition(state, personas.DecidePass)].To
			switch {
			case t.To == t.From && first != t.From:
				report(m.transitionPath(i)+".to_state_key", "this reject does not stay in %q: a reject to its own state leads to the target of the first pass, %q; set another state, or use a redirect to stay", t.From, first)
			case t.To == "" && len(m.passTargets(state)) > 1:
				report(m.transitionPath(i), "this reject of %q has no to_state_key, so the player moves to %q, the target of the first of %d passes; set to_state_key, or use a redirect to stay", t.From, first, len(m.passTargets(state)))
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
		if m.proof == nil || !m.usesScores() || declares(m.Extra, goesOn) || !m.canReach(personas.Reject) { // outcome-impossible reports a machine that cannot be lost
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
			if to == "" || to == t.From || isTold || !slices.Contains(m.passTargets(state), to) || m.isLostBy(i, to) {
				continue
			}
			report(m.transitionPath(i), "a reject and a pass of %q both lead to %q, so rejected players continue like accepted ones; lead the reject to another state, make it a redirect that costs points, or declare x-goes-on: true in the state or its machine", t.From, to)
		}
	}
}

// isLostBy reports whether the machine is always lost after a reject that leads to the state with
// the key to. It proves a copy of the machine in which the reject leads to an added state instead
// of to. If to is terminal, all other transitions to terminal states lead to lostState in the copy.
func (m *machineContext) isLostBy(i int, to string) bool {
	doc := *m.Machine
	isTerminal := m.States[m.index[to]].IsTerminal
	doc.States = append(slices.Clone(m.States), personas.State{Key: lostState}, personas.State{Key: afterReject, IsTerminal: isTerminal})
	doc.Transitions = slices.Clone(m.Transitions)
	if isTerminal {
		doc.Transitions = oneWay{m, -1, false}.listTransitions()
	}
	doc.Transitions[i].To = afterReject
	proof := m.proveAlone(doc)
	switch {
	case proof == nil:
		return false
	case isTerminal:
		return !proof.OutcomeOf(personas.Accept).Reachable
	}
	return !proof.States[len(proof.States)-1].Plays
}

// afterReject is the key of the state that isLostBy adds. The key cannot occur in a document.
const afterReject = "\x00rejected"

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
		if !m.usesScores() || !m.isPlayed(i) || m.States[i].MaxRedirects == nil || m.firstTransition(i, personas.DecideReject) >= 0 {
			continue
		}
		if targets := m.passTargets(i); len(targets) > 1 && m.canSpendRedirects(i) {
			report(m.statePath(i)+".max_redirects", "when the redirects of %q are used up, the player moves to %q, the target of the first of %d passes; add a reject with the intended target", m.States[i].Key, targets[0], len(targets))
		}
	}
}

// canSpendRedirects reports whether a player can use up the redirects of a state before the score
// ends the machine. It assumes that the player enters the initial state without points, and every
// other state with enough points.
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

// Bounds of additional proofs, so that the check of one persona never takes minutes.
const (
	maxProvedItems = 1000 // states and transitions of a machine
	maxProofs      = 40   // proofs of a persona
)

func (m *machineContext) proveAlone(doc personas.Machine) *prove.Machine {
	if *m.asked++; *m.asked > maxProofs || len(doc.States)+len(doc.Transitions) > maxProvedItems {
		return nil
	}
	report, err := prove.Persona(&personas.Persona{Machines: []personas.Machine{doc}})
	if err != nil {
		return nil
	}
	return &report.Machines[0]
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

// findWonByReject reports an ending in which a player can win only through a reject. For each
// ending it proves the machine twice. In the first proof only passes lead to the ending, in the
// second only rejects.
func findWonByReject(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		if m.proof == nil || !m.usesScores() || !m.canReach(personas.Accept) {
			continue
		}
		for _, state := range m.endingsByReject() {
			hasPass := slices.ContainsFunc(m.Transitions, func(t personas.Transition) bool {
				return t.Decision == personas.DecidePass && t.To == m.States[state].Key
			})
			byPass, byReject := oneWay{&m, state, false}, oneWay{&m, state, true}
			if hasPass && byPass.isWon() || !byReject.isWon() {
				continue
			}
			report(m.statePath(state), "the ending %q can be won only by a reject: no pass leads there with %d points; add such a pass, or remove the points from the reject", m.States[state].Key, m.Threshold())
		}
	}
}

const maxEndings = 20

func (m *machineContext) endingsByReject() []int {
	var endings []int
	for state := range m.States {
		if !m.isPlayed(state) {
			continue
		}
		for _, to := range m.rejectTargets(state) {
			if m.States[to].IsTerminal && !slices.Contains(endings, to) && len(endings) < maxEndings {
				endings = append(endings, to)
			}
		}
	}
	return endings
}

// rejectTargets returns the other states to which the rejects of a state lead, including the reject
// after max_redirects.
func (m *machineContext) rejectTargets(state int) []int {
	var targets []int
	add := func(to string) {
		if at, known := m.index[to]; known && at != state && !slices.Contains(targets, at) {
			targets = append(targets, at)
		}
	}
	pass := m.firstTransition(state, personas.DecidePass)
	for _, i := range m.outgoing[state] {
		if t := &m.Transitions[i]; t.Decision == personas.DecideReject {
			add(m.rejectTarget(i, pass))
		}
	}
	add(m.spentRedirectsTarget(state))
	return targets
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

// lostState is the key of an added state from which the machine cannot be won. The key cannot occur
// in a document.
const lostState = "\x00lost"

type oneWay struct {
	*machineContext
	ending   int // only rejects can enter this state if byReject is true, or else only passes
	byReject bool
}

// isWon reports whether ACCEPT is possible in the ending. It proves a copy of the machine in which
// lostState replaces all other endings.
func (w oneWay) isWon() bool {
	doc := *w.Machine
	doc.States = append(slices.Clone(w.States), personas.State{Key: lostState})
	doc.Transitions = append(w.listTransitions(), personas.Transition{From: lostState, Decision: personas.DecideKickOut})
	proof := w.proveAlone(doc)
	return proof != nil && proof.OutcomeOf(personas.Accept).Reachable
}

func (w oneWay) listTransitions() []personas.Transition {
	transitions := slices.Clone(w.Transitions)
	for i := range transitions {
		t := &transitions[i]
		switch t.Decision {
		case personas.DecidePass:
			t.To = w.target(t.To, false)
		case personas.DecideReject:
			if to := w.rejectTarget(i, w.firstTransition(w.index[t.From], personas.DecidePass)); to != "" && to != t.From {
				t.To = w.target(to, true)
			}
		}
	}
	for state := range w.States {
		from := w.States[state].Key
		if to := w.spentRedirectsTarget(state); to != "" && w.target(to, true) != from {
			transitions = append(transitions, personas.Transition{From: from, To: w.target(to, true), Decision: personas.DecideReject})
		}
	}
	return transitions
}

// target returns the new target of a transition. It is lostState if the transition leads to another
// ending. It is also lostState if the transition leads to this ending but is a pass instead of a
// reject, or a reject instead of a pass.
func (w oneWay) target(to string, isReject bool) string {
	if at := w.index[to]; w.States[at].IsTerminal && (at != w.ending || isReject != w.byReject) {
		return lostState
	}
	return to
}

// spentRedirectsTarget returns the state to which a player moves when the redirects of a state are
// used up. It returns "" if the redirects are unlimited or do not move the player.
func (m *machineContext) spentRedirectsTarget(state int) string {
	pass := m.firstTransition(state, personas.DecidePass)
	if m.States[state].MaxRedirects == nil || pass < 0 || m.firstTransition(state, personas.DecideReject) >= 0 {
		return ""
	}
	return m.Transitions[pass].To
}
