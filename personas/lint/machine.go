package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

func machinePath(machine int) string { return fmt.Sprintf("machines[%d]", machine) }

func statePath(machine, state int) string {
	return fmt.Sprintf("%s.states[%d]", machinePath(machine), state)
}

func transitionPath(machine, transition int) string {
	return fmt.Sprintf("%s.transitions[%d]", machinePath(machine), transition)
}

func stateKeys(m *personas.Machine) []string {
	return keysOf(m.States, func(s *personas.State) string { return s.Key })
}

func findDuplicateStateKeys(s *checkContext, report reporter) {
	p := s.p
	for i := range p.Machines {
		reportDuplicates(p, report, func(j int) string { return statePath(i, j) + ".state_key" }, stateKeys(&p.Machines[i]))
	}
}

func isInitial(s personas.State) bool { return s.IsInitial }

func findNoInitialState(s *checkContext, report reporter) {
	for i := range s.p.Machines {
		if m := &s.p.Machines[i]; !slices.ContainsFunc(m.States, isInitial) {
			report(machinePath(i)+".states", "machine %q has no initial state; mark one with is_initial_state: true", m.Key)
		}
	}
}

func findSeveralInitialStates(s *checkContext, report reporter) {
	for i := range s.p.Machines {
		m := &s.p.Machines[i]
		first := slices.IndexFunc(m.States, isInitial)
		for j := first + 1; j < len(m.States); j++ {
			if first >= 0 && m.States[j].IsInitial {
				report(statePath(i, j)+".is_initial_state", "states %q and %q are both initial; a machine starts in one state",
					m.States[j].Key, m.States[first].Key)
			}
		}
	}
}

func findNoTerminalState(s *checkContext, report reporter) {
	for i := range s.p.Machines {
		if m := &s.p.Machines[i]; !slices.ContainsFunc(m.States, func(s personas.State) bool { return s.IsTerminal }) {
			report(machinePath(i)+".states", "machine %q has no terminal state; add is_terminal_state: true to the state "+
				"in which it ends",
				m.Key)
		}
	}
}

func findUnknownFromStates(s *checkContext, report reporter) {
	for m, i := range s.eachTransition() {
		if from := m.Transitions[i].From; !m.hasState(from) {
			m.reportUnknownState(m.transitionPath(i)+".from_state_key", from, report)
		}
	}
}

func findUnknownToStates(s *checkContext, report reporter) {
	for m, i := range s.eachTransition() {
		if to := m.Transitions[i].To; to != "" && !m.hasState(to) {
			m.reportUnknownState(m.transitionPath(i)+".to_state_key", to, report)
		}
	}
}

func (m *machineContext) hasState(key string) bool {
	_, ok := m.index[key]
	return ok
}

func (m *machineContext) reportUnknownState(path, key string, report reporter) {
	hint := suggestion{word: key, words: func() []string { return stateKeys(m.Machine) }}
	report(path, "machine %q has no state %q%s", m.Key, key, hint).offerSuggestion(path, hint)
}

func findPassesToNowhere(s *checkContext, report reporter) {
	for m, i := range s.eachTransition() {
		if t := &m.Transitions[i]; t.Decision == personas.DecidePass && t.To == "" {
			report(m.transitionPath(i), "a pass transition needs a to_state_key; add the state to which it leads")
		}
	}
}

func findTerminalTransitions(s *checkContext, report reporter) {
	for m, i := range s.eachTransition() {
		if st := &m.States[m.index[m.Transitions[i].From]]; st.IsTerminal && !st.IsInitial {
			report(m.transitionPath(i), "this transition never fires: the machine ends when it reaches %q", st.Key)
		}
	}
}

func findNegativeMaxRedirects(s *checkContext, report reporter) {
	p := s.p
	for i := range p.Machines {
		for j, s := range p.Machines[i].States {
			if s.MaxRedirects != nil && *s.MaxRedirects < 0 {
				report(statePath(i, j)+".max_redirects", "max_redirects is %d; write 0 or more, or leave it out for no limit",
					*s.MaxRedirects)
			}
		}
	}
}

var offlineLinesMissing = Check{
	Name: "offline-lines-missing", Severity: Info, wording: true, mean: findNoOfflineLines,
	Summary: "Without offline lines the built-in model answers with standard sentences.",
	Why: "Tests and `parley chat --local` use the built-in model. With a few lines under offline its " +
		"answers fit the character. For states that can redirect see redirect-lines-missing.",
	Good: "          lines:\n            pass: [\"Drink.\"]", Bad: "          x-lines:\n            pass: [\"Drink.\"]",
}

func findNoOfflineLines(s *checkContext, report reporter) {
	for m, i := range s.eachState() {
		st, mayReach := &m.States[i], m.proof == nil || m.isReachable(i)
		if !st.IsTerminal && !hasLines(st.Offline) && mayReach && !m.lacksRedirectLines(i) {
			report(m.statePath(i), "state %q has no offline lines; the built-in model answers there with standard sentences",
				st.Key)
		}
	}
}

func hasLines(o *personas.Offline) bool {
	if o == nil {
		return false
	}
	l := &o.Lines
	return len(l.Pass)+len(l.Redirect)+len(l.Reject)+len(l.KickOut)+len(l.FollowUp)+len(l.Enter) > 0
}

var redirectLinesMissing = Check{
	Name: "redirect-lines-missing", Severity: Warning, mean: findNoRedirectLines,
	Summary: "A state that can redirect needs lines that hint at what would pass.",
	Why: "The answer to an attempt that does not pass is the player's only clue. Without lines the built-in " +
		"model repeats standard sentences until max_redirects ends the machine. Write two " +
		"or three lines under offline.lines.redirect.",
	Good: "            redirect: [\"State your business.\"]", Bad: "            enter: [\"Who is there?\"]",
}

func findNoRedirectLines(s *checkContext, report reporter) {
	for m, i := range s.eachState() {
		switch {
		case m.lacksRedirectLines(i):
			report(m.statePath(i), "state %q can redirect (%s), but has no offline.lines.redirect; add lines that hint at "+
				"what would pass",
				m.States[i].Key, m.redirectReason(i))
		case m.lacksAnyRedirectLine(i):
			finding := report(m.statePath(i)+".offline.lines", "state %q has lines for other decisions but not for a redirect, "+
				"the result of any message that does not pass; add offline.lines.redirect with hints at what would pass",
				m.States[i].Key)
			if finding != nil {
				finding.Severity = Info
			}
		}
	}
}

func (m *machineContext) lacksRedirectLines(state int) bool {
	if !m.isPlayed(state) || m.isTrap(state) || m.redirectReason(state) == "" {
		return false
	}
	return len(m.linesFor(state, personas.DecideRedirect)) == 0
}

func (m *machineContext) lacksAnyRedirectLine(state int) bool {
	st := &m.States[state]
	neverRedirects := st.MaxRedirects != nil && *st.MaxRedirects == 0
	if neverRedirects || st.Offline == nil || !m.isPlayed(state) || m.isTrap(state) {
		return false
	}
	l := &st.Offline.Lines
	return len(l.Pass) > 0 && len(l.Reject)+len(l.KickOut)+len(l.FollowUp) > 0 && len(l.Redirect) == 0
}

// redirectReason returns "" for max_redirects: 0, because every redirect is then a reject.
func (m *machineContext) redirectReason(state int) string {
	st := &m.States[state]
	switch {
	case st.MaxRedirects != nil && *st.MaxRedirects == 0:
		return ""
	case st.MaxRedirects != nil:
		return "max_redirects"
	case m.firstTransition(state, personas.DecideRedirect) >= 0:
		return "a redirect transition"
	case m.criterionFor(state, personas.DecideRedirect) != "":
		return "evaluation_criteria.redirect"
	case len(m.examplesFor(state, personas.DecideRedirect)) > 0:
		return "offline.examples.redirect"
	case st.Offline != nil && st.Offline.Patience != nil:
		return "patience"
	}
	return ""
}

var offlinePassMissing = Check{
	Name: "offline-pass-missing", Severity: Warning, mean: findNoOfflinePass,
	Summary: "Nothing describes for the built-in model when this state is passed.",
	Why: "The built-in model uses examples, conditions and evaluation_criteria, not prompts or objectives. " +
		"Add two or three examples under offline.examples.pass, or write evaluation_criteria.pass or a " +
		"condition. Real models read the prompts too.",
	Good: "          pass: The player drinks.\n          reject: The player spits into the well.\n        offline:\n          examples:\n            pass: [\"I drink.\"]\n",
	Bad:  "          reject: The player spits into the well.\n        offline:\n          examples:\n",
}

func findNoOfflinePass(s *checkContext, report reporter) {
	for m, state := range s.eachState() {
		hasSinglePass := len(slices.Collect(m.transitionsFor(state, personas.DecidePass))) == 1
		if m.isPlayed(state) && hasSinglePass && !m.tellsOffline(state, personas.DecidePass) && !m.saysNothing(state) {
			report(m.statePath(state), "nothing describes to the built-in model when state %q is passed; add "+
				"offline.examples.pass, evaluation_criteria.pass or a condition",
				m.States[state].Key)
		}
	}
}

func (m *machineContext) tellsOffline(state int, d personas.Decision) bool {
	if len(m.examplesFor(state, d)) > 0 || strings.TrimSpace(m.criterionFor(state, d)) != "" {
		return true
	}
	return m.hasTransitionWithWords(state, d)
}

var examplesMissing = Check{
	Name: "examples-missing", Severity: Info, mean: findNoExamples,
	Summary: "The built-in model rarely chooses a decision without examples if other decisions have examples.",
	Why: "The built-in model compares messages with examples first, and only then with conditions and " +
		"criteria. Without examples for a reject, \"I will steal your boat\" becomes the nearest other " +
		"decision. Add two or three things that a player might say. Real models are not affected.",
	Good: "            reject: [\"I spit.\"]", Bad: "            redirect: [\"Is it deep?\"]",
}

func findNoExamples(s *checkContext, report reporter) {
	for m, state := range s.eachState() {
		if !m.isPlayed(state) || !hasExamples(m, state) {
			continue
		}
		for _, d := range [...]personas.Decision{personas.DecidePass, personas.DecideReject, personas.DecideKickOut} {
			findDecisionWithoutExamples(m, state, d, report)
		}
	}
}

func hasExamples(m *machineContext, state int) bool {
	found := false
	m.eachExample(state, func(exampleUse) { found = true })
	return found
}

func findDecisionWithoutExamples(m *machineContext, state int, d personas.Decision, report reporter) {
	hasExamples := m.tellsOffline(state, d)
	for _, i := range transitionsWithoutExamples(m, state, d) {
		words := wordsOf(m, state, i)
		switch {
		case hasExamples && words != "":
			report(m.transitionPath(i), "state %q has offline examples, but none for this %s, so the built-in model can "+
				"compare a message only with its %s; add two or three messages that a player might write",
				m.States[state].Key, d, words)
		case hasExamples || d != personas.DecidePass:
			report(m.transitionPath(i), "state %q has offline examples, but nothing for this %s, so the built-in model "+
				"rarely chooses it",
				m.States[state].Key, d)
		}
	}
}

// transitionsWithoutExamples returns the first transition of each choice without examples. A pass
// with a condition is a choice of its own, and other transitions share a choice.
func transitionsWithoutExamples(m *machineContext, state int, d personas.Decision) []int {
	if len(m.examplesFor(state, d)) > 0 {
		return nil
	}
	var transitions []int
	first := m.firstTransition(state, d)
	for i := range m.transitionsFor(state, d) {
		switch apart := d == personas.DecidePass && m.hasOwnWords(i); {
		case len(m.ownExamples(i)) > 0 && !apart:
			return nil
		case len(m.ownExamples(i)) == 0 && (apart || i == first):
			transitions = append(transitions, i)
		}
	}
	return transitions
}

func wordsOf(m *machineContext, state, i int) string {
	t := &m.Transitions[i]
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
	Summary: "Examples of a state belong to all of its passes, so the built-in model usually chooses the first pass.",
	Why: "A real model distinguishes the passes by their conditions, the built-in model rarely does. Move each " +
		"example to offline.examples of its transition.",
	Good: "      - from_state_key: well\n        to_state_key: gone\n",
	Bad:  "      - {from_state_key: well, to_state_key: well, decision_type: pass, condition: The player draws water for others.}\n      - from_state_key: well\n        to_state_key: gone\n",
}

func findSharedExamples(s *checkContext, report reporter) {
	for m, state := range s.eachState() {
		if len(m.examplesFor(state, personas.DecidePass)) == 0 || !m.isPlayed(state) || !hasDifferentPasses(m, state) {
			continue
		}
		first := m.Transitions[m.firstTransition(state, personas.DecidePass)].To
		report(m.statePath(state)+".offline.examples.pass", "these examples apply to every pass of %q, so the built-in "+
			"model usually chooses the first pass, to %q; move each example to offline.examples of its transition",
			m.States[state].Key, first)
	}
}

func hasDifferentPasses(m *machineContext, state int) bool {
	first, unconditional, differ := m.firstTransition(state, personas.DecidePass), 0, false
	for i := range m.transitionsFor(state, personas.DecidePass) {
		if !m.hasOwnWords(i) {
			unconditional++
		}
		t, f := &m.Transitions[i], &m.Transitions[first]
		differ = differ || t.To != f.To || m.usesScores() && t.ScoreDelta != f.ScoreDelta
	}
	return differ && unconditional < 2
}

func foldName(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(name), " "))
}

var openingNotSpoken = Check{
	Name: "opening-not-spoken", Severity: Warning, wording: true, mean: findIdleOpenings,
	Summary: "An opening is spoken only in the initial state.",
	Why: "An opening is what the character says first, when the machine starts. Lines for entering " +
		"another state belong under offline.lines.enter.",
	Good: "        label: Inside the walls\n", Bad: "        label: Inside the walls\n        offline: {opening: [\"Welcome.\"]}\n",
}

func findIdleOpenings(s *checkContext, report reporter) {
	for i := range s.p.Machines {
		for j := range s.p.Machines[i].States {
			if st := &s.p.Machines[i].States[j]; !st.IsInitial && st.Offline != nil && len(st.Offline.Opening) > 0 {
				report(statePath(i, j)+".offline.opening", "state %q is not the initial state, so its opening is never "+
					"spoken; put these lines under offline.lines.enter, or remove them",
					st.Key)
			}
		}
	}
}

var duplicateLabel = Check{
	Name: "duplicate-label", Severity: Warning, wording: true, mean: findSameLabels,
	Summary: "Two states of a machine have the same label.",
	Why: "Players see the label, and graphs, reports and tests show it. Usually a state was copied. A " +
		"state without a label is shown by its key.",
	Good: "label: Inside the walls", Bad: "label: outside",
}

func findSameLabels(s *checkContext, report reporter) {
	for i := range s.p.Machines {
		first := map[string]string{}
		for j := range s.p.Machines[i].States {
			st := &s.p.Machines[i].States[j]
			title := foldName(st.Title())
			before, twice := first[title]
			switch {
			case !twice:
				first[title] = st.Key
			case before != st.Key:
				path := statePath(i, j) + ".label"
				if st.Label == "" {
					path = statePath(i, j) + ".state_key"
				}
				report(path, "state %q is shown as %q, and so is state %q; give each its own label",
					st.Key, clip(st.Title()), before)
			}
		}
	}
}
