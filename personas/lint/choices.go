package lint

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/plaintext"
)

func (m *machineContext) criterionFor(state int, d personas.Decision) string {
	return m.States[state].Criteria.Of(string(d))
}

func (m *machineContext) examplesFor(state int, d personas.Decision) []personas.Example {
	if o := m.States[state].Offline; o != nil {
		return o.Examples.Of(string(d))
	}
	return nil
}

func (m *machineContext) linesFor(state int, d personas.Decision) []string {
	if o := m.States[state].Offline; o != nil {
		return o.Lines.Of(string(d))
	}
	return nil
}

func (m *machineContext) ownExamples(i int) []personas.Example {
	if o := m.Transitions[i].Offline; o != nil {
		return o.Examples
	}
	return nil
}

func (m *machineContext) hasOwnWords(i int) bool {
	return strings.TrimSpace(m.Transitions[i].Condition) != "" || len(m.ownExamples(i)) > 0
}

var identicalConditions = Check{
	Name: "identical-conditions", Severity: Warning, mean: findIdentical,
	Summary: "Two transitions with the same condition, or two equal criteria, cannot be told apart.",
	Why: "The one with the lower priority number, or the earlier one, always fires. Describe the " +
		"difference in each.",
	Good: "      - from_state_key: outside\n        decision_type: redirect",
	Bad:  "      - from_state_key: outside\n        decision_type: redirect\n        condition: The player gives the password, {{password}}.",
}

func findIdentical(s *checkContext, report reporter) {
	for m, state := range s.eachState() {
		first := map[string]int{}
		for _, i := range m.outgoing[state] {
			words := normalizeText(m.Transitions[i].Condition)
			if before, twice := first[words]; twice && words != "" {
				report(m.transitionPath(i)+".condition", "this %s of %q has the same condition as %s, "+
					"which is tried first; describe the difference",
					m.Transitions[i].Decision, m.States[state].Key, m.nameTransition(before))
				continue
			}
			first[words] = i
		}
		m.findIdenticalCriteria(state, report)
	}
}

func (m *machineContext) findIdenticalCriteria(state int, report reporter) {
	first := map[string]string{}
	for _, d := range decisionNames {
		words := normalizeText(m.States[state].Criteria.Of(d))
		if before, twice := first[words]; twice && words != "" {
			report(m.statePath(state)+".evaluation_criteria."+d, "the criteria for %s and %s of %q are the same; describe "+
				"the difference",
				d, before, m.States[state].Key)
			continue
		}
		first[words] = d
	}
}

func normalizeText(text string) string {
	out := make([]byte, 0, len(text))
	gap := false
	for _, r := range text {
		switch r {
		case '.', ',', ';', ':', '!', '?', '"', '\'', ' ':
			gap = len(out) > 0
			continue
		}
		if unicode.IsSpace(r) {
			gap = len(out) > 0
			continue
		}
		if gap {
			out, gap = append(out, ' '), false
		}
		out = utf8.AppendRune(out, unicode.ToLower(r))
	}
	return string(out)
}

var missingCondition = Check{
	Name: "missing-condition", Severity: Warning, mean: findMissing,
	Summary: "A transition needs words that describe when it fires.",
	Why: "The evaluator uses the condition, the state's evaluation_criteria and prompt, and the machine's " +
		"objective. Without them it guesses. Write a condition that begins with what the player does, " +
		"such as \"The player pays\".",
	Good: "      - from_state_key: well\n        decision_type: reject\n",
	Bad:  "      - from_state_key: well\n        decision_type: reject\n      - from_state_key: well\n        decision_type: reject\n        priority: 1\n",
}

func findMissing(s *checkContext, report reporter) {
	for m, state := range s.eachState() {
		if m.States[state].IsTerminal && !m.States[state].IsInitial {
			continue
		}
		first := map[personas.Decision]int{}
		for _, i := range m.outgoing[state] {
			d := m.Transitions[i].Decision
			before, twice := first[d]
			switch {
			case m.hasOwnWords(i):
			case twice:
				report(m.transitionPath(i), "this %s of %q and %s cannot be told apart: neither has a condition; describe "+
					"when each fires",
					d, m.States[state].Key, m.nameTransition(before))
			case d == personas.DecidePass && m.saysNothing(state):
				report(m.transitionPath(i), "nothing describes when this pass of %q fires; write a condition, or "+
					"evaluation_criteria.pass in the state",
					m.States[state].Key)
				first[d] = i
			default:
				first[d] = i
			}
		}
	}
}

func (m *machineContext) saysNothing(state int) bool {
	s := &m.States[state]
	words := m.Objective + m.WinCondition + m.LoseCondition + m.ChatPrompt + m.EvaluationPrompt
	words += s.PromptInstruction + s.Criteria.Pass
	if strings.TrimSpace(words) != "" || len(m.examplesFor(state, personas.DecidePass)) > 0 {
		return false
	}
	return !m.hasTransitionWithWords(state, personas.DecidePass)
}

var decisionWithoutTransition = Check{
	Name: "decision-without-transition", Severity: Warning, mean: findWithoutTransition,
	Summary: "The state has texts for a decision that cannot happen in it.",
	Why: "No transition of that decision leaves the state, so its criteria, examples and lines are never " +
		"used. Add the transition or remove the texts. In a terminal state no message is " +
		"evaluated; only in a scoring machine its lines for pass and reject are used, for the result.",
	Good: "          redirect: The player asks about the town.", Bad: "          redirect: The player asks about the town.\n          kick_out: The player climbs the wall.",
}

func findWithoutTransition(s *checkContext, report reporter) {
	for m, state := range s.eachState() {
		for _, d := range []personas.Decision{personas.DecidePass, personas.DecideReject, personas.DecideKickOut} {
			if path, words := m.idleWords(state, d); path != "" && m.firstTransition(state, d) < 0 {
				report(m.statePath(state)+path, "state %q has %s for %s, but no %s transition leaves it; add one or remove "+
					"the texts",
					m.States[state].Key, words, d, d)
			}
		}
	}
}

func (m *machineContext) idleWords(state int, d personas.Decision) (path, noun string) {
	switch {
	case m.criterionFor(state, d) != "":
		return ".evaluation_criteria." + string(d), "criteria"
	case len(m.examplesFor(state, d)) > 0:
		return ".offline.examples." + string(d), "examples"
	case len(m.linesFor(state, d)) > 0 && !m.speaksWithoutTransition(state, d):
		return ".offline.lines." + string(d), "lines"
	}
	return "", ""
}

// speaksWithoutTransition reports whether lines are used without a transition. A redirect after
// max_redirects counts as a reject. A scoring machine announces its result with the lines for pass
// and reject.
func (m *machineContext) speaksWithoutTransition(state int, d personas.Decision) bool {
	st := &m.States[state]
	if st.IsTerminal {
		return d != personas.DecideKickOut && m.Mode() != personas.PassFail
	}
	return d == personas.DecideReject && st.MaxRedirects != nil
}

var toStateIgnored = Check{
	Name: "to-state-ignored", Severity: Warning, mean: findIgnoredTargets,
	Summary: "A redirect or kick_out ignores its to_state_key.",
	Why: "Only a pass moves the player, or a reject in a scoring machine. Make this a pass with its own " +
		"condition, or remove to_state_key.",
	Good: "        decision_type: redirect", Bad: "        decision_type: redirect\n        to_state_key: inside",
}

func findIgnoredTargets(s *checkContext, report reporter) {
	for m, i := range s.eachTransition() {
		t := &m.Transitions[i]
		to, ok := m.index[t.To]
		if m.canMove(t.Decision) || !ok || t.To == t.From {
			continue
		}
		if m.proof != nil && (!m.isReachable(to) || !m.proof.Transitions[i].Fires) {
			continue
		}
		reason := "a " + string(t.Decision) + " ends the machine at once here"
		if t.Decision == personas.DecideRedirect {
			reason = "a redirect stays in its state"
		}
		report(m.transitionPath(i)+".to_state_key", "this %s of %q never leads to %q: %s; make it a pass or remove "+
			"to_state_key",
			t.Decision, t.From, t.To, reason)
	}
}

var duplicateExample = Check{
	Name: "duplicate-example", Severity: Warning, mean: findDuplicateExamples,
	Summary: "The same example belongs to two decisions of a state.",
	Why: "It matches both equally, and the decision that is tried first always wins. Keep it where it " +
		"belongs.",
	Good: "            reject: [\"I spit.\"]", Bad: "            reject: [\"I spit.\", \"I drink!\"]",
}

type exampleUse struct {
	text, means string
	transition  int    // index, or -1 for the whole state
	list        string // path of the list
	item        string // "[3]" or "[3].say"
}

func findDuplicateExamples(s *checkContext, report reporter) {
	for m, state := range s.eachState() {
		first := map[string]exampleUse{} // by normalized text
		m.eachExample(state, func(e exampleUse) {
			words := normalizeText(e.text)
			before, twice := first[words]
			if !twice {
				first[words] = e
				return
			}
			if words == "" || e.means == before.means && (before.transition < 0 || e.transition == before.transition) {
				return
			}
			means := before.means
			if before.transition >= 0 {
				means += " (" + m.nameTransition(before.transition) + ")"
			}
			report(e.list+e.item, "%q of state %q is already an example for %s; remove one",
				clip(e.text), m.States[state].Key, means)
		})
	}
}

func (m *machineContext) eachExample(state int, visit func(exampleUse)) {
	add := func(list, means string, transition int, examples []personas.Example) {
		for i := range examples {
			item := "[" + strconv.Itoa(i) + "]"
			if !examples[i].IsText() {
				item += ".say"
			}
			visit(exampleUse{examples[i].Say, means, transition, list, item})
		}
	}
	if o := m.States[state].Offline; o != nil {
		for _, d := range decisionNames {
			add(m.statePath(state)+".offline.examples."+d, d, -1, o.Examples.Of(d))
		}
	}
	for _, i := range m.outgoing[state] {
		if examples := m.ownExamples(i); len(examples) > 0 {
			add(m.transitionPath(i)+".offline.examples", string(m.Transitions[i].Decision), i, examples)
		}
	}
}

func clip(s string) string {
	if HoldsSecret(s) {
		return plaintext.Dots
	}
	return plaintext.ClipAfter(s, 40, plaintext.Dots)
}

var passTriedLast = Check{
	Name: "pass-tried-last", Severity: Info, mean: findLatePasses,
	Summary: "All passes have a priority above 0, so redirects and rejects are tried first.",
	Why: "The default priority is 0, and the lowest number is tried first. A message that fits both a pass " +
		"and a redirect does not pass. Give the first pass 0, or the others greater numbers.",
	Good: "        score_delta: 3\n", Bad: "        score_delta: 3\n        priority: 1\n",
}

// findLatePasses ignores kick_outs and nonzero priorities, because their order is usually intended.
func findLatePasses(s *checkContext, report reporter) {
	for m, state := range s.eachState() {
		pass := m.firstTransition(state, personas.DecidePass)
		if pass < 0 || m.Transitions[pass].Priority <= 0 || !m.isPlayed(state) {
			continue
		}
		for _, i := range m.outgoing[state] {
			t := &m.Transitions[i]
			isEarly := t.Decision == personas.DecideRedirect || t.Decision == personas.DecideReject
			if t.Priority == 0 && isEarly {
				report(m.transitionPath(pass)+".priority", "every pass of %q has a priority above 0, so %s, with priority 0, "+
					"is tried first; give that transition a greater priority, or this pass 0",
					m.States[state].Key, m.nameTransition(i))
				break
			}
		}
	}
}
