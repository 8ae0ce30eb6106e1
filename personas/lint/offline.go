package lint

import (
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
)

// The checks of play without a model: whether the built-in model has examples or words
// to decide by (docs/persona-file.md, "Play without a model"), and lines to say.

var offlineLinesMissing = Check{
	Name: "offline-lines-missing", Severity: Info, wording: true, mean: findNoOfflineLines,
	Summary: "Without offline lines the built-in model can only answer in plain words.",
	Why: "The persona can be played, but the built-in model, which tests and `parley chat --local` use, answers there in plain words such as the state's name. Some lines under offline make play without a model worth reading; real models never see them. " +
		"Of a state that can redirect, redirect-lines-missing tells instead.",
	Good: "          lines:\n            pass: [\"Drink.\"]", Bad: "          x-lines:\n            pass: [\"Drink.\"]",
}

// findNoOfflineLines reports states without lines. States that nobody ever sees are
// left out, and those of which findNoRedirectLines tells.
func findNoOfflineLines(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		for i := range m.States {
			if st := &m.States[i]; !st.IsTerminal && !hasLines(st.Offline) && (m.proof == nil || m.isReachable(i)) && !m.lacksRedirectLines(i) {
				report(m.statePath(i), "state %q has no offline lines; the built-in model answers there in plain words", st.Key)
			}
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
	Summary: "A state that redirects needs lines that say what is still wanted.",
	Why: "A redirect is an attempt that falls short, and the line that answers it is all that a player has to go by. Without one the built-in model says in plain words that it did not help, again and again, until max_redirects ends the patience. " +
		"Write two or three lines under offline.lines.redirect that hint at what would pass; real models never see them.",
	Good: "            redirect: [\"State your business.\"]", Bad: "            enter: [\"Who is there?\"]",
}

func findNoRedirectLines(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		for i := range m.States {
			if m.lacksRedirectLines(i) {
				report(m.statePath(i), "state %q can redirect (%s), but has no offline.lines.redirect; add lines that hint at what would pass", m.States[i].Key, m.redirectReason(i))
			}
		}
	}
}

// lacksRedirectLines tells whether a state redirects without lines. Of one that nobody
// can pass redirect-trap tells.
func (m *machineContext) lacksRedirectLines(state int) bool {
	return m.isPlayed(state) && !m.isTrap(state) && m.redirectReason(state) != "" && len(m.linesFor(state, personas.DecideRedirect)) == 0
}

// redirectReason says by what a state shows that its author expects redirects; "" where
// he does not. With max_redirects 0 each one is a reject.
func (m *machineContext) redirectReason(state int) string {
	st := &m.States[state]
	switch {
	case st.MaxRedirects != nil && *st.MaxRedirects == 0:
		return ""
	case st.MaxRedirects != nil:
		return "max_redirects"
	case m.firstRow(state, personas.DecideRedirect) >= 0:
		return "a redirect transition"
	case m.criterionFor(state, personas.DecideRedirect) != "":
		return "evaluation_criteria.redirect"
	case len(m.examplesFor(state, personas.DecideRedirect)) > 0:
		return "offline.examples.redirect"
	}
	return ""
}

var offlinePassMissing = Check{
	Name: "offline-pass-missing", Severity: Warning, mean: findNoOfflinePass,
	Summary: "In play without a model nothing tells when the state is passed.",
	Why: "The built-in model goes by examples, by the condition of a transition and by evaluation_criteria; it does not read prompts, objectives or win conditions. Where none of them says what a pass is, it can only guess, and players do not get on whatever they say. " +
		"Add two or three things that a player might say under offline.examples.pass, or write evaluation_criteria.pass or a condition. A real model, which reads the prompts too, may do without.",
	Good: "          pass: The player drinks.\n          reject: The player spits into the well.\n        offline:\n          examples:\n            pass: [\"I drink.\"]\n",
	Bad:  "          reject: The player spits into the well.\n        offline:\n          examples:\n",
}

// findNoOfflinePass reports states that cannot be passed offline. Where no evaluator at
// all has words to go by, or to tell several passes apart, missing-condition tells.
func findNoOfflinePass(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		for state := range m.States {
			if m.isPlayed(state) && m.countRows(state, personas.DecidePass) == 1 && !m.tellsOffline(state, personas.DecidePass) && !m.saysNothing(state) {
				report(m.statePath(state), "nothing tells the built-in model when state %q is passed; add offline.examples.pass, evaluation_criteria.pass or a condition", m.States[state].Key)
			}
		}
	}
}

func (m *machineContext) countRows(state int, d personas.Decision) int {
	n := 0
	for _, row := range m.rows[state] {
		if m.Transitions[row].Decision == d {
			n++
		}
	}
	return n
}

// tellsOffline tells whether the built-in model has an example, a criterion or a
// condition for a decision to go by.
func (m *machineContext) tellsOffline(state int, d personas.Decision) bool {
	return len(m.examplesFor(state, d)) > 0 || strings.TrimSpace(m.criterionFor(state, d)) != "" ||
		slices.ContainsFunc(m.rows[state], func(row int) bool { return m.Transitions[row].Decision == d && m.hasOwnWords(row) })
}

var examplesMissing = Check{
	Name: "examples-missing", Severity: Info, mean: findNoExamples,
	Summary: "In a state with offline examples, a reject or kick_out without words is hardly ever chosen in play without a model.",
	Why: "The built-in model goes by examples, conditions and criteria. A reject or kick_out that has none of them can hardly win against the decisions of the state that have examples. " +
		"Add two or three things that a player might say, or a criterion. With a real model this changes nothing.",
	Good: "          reject: The player spits into the well.\n        offline:\n          examples:\n            pass: [\"I drink.\"]\n            reject: [\"I spit.\"]",
	Bad:  "        offline:\n          examples:\n            pass: [\"I drink.\"]",
}

func findNoExamples(s *checkContext, report reporter) {
	for _, m := range s.listMachines() {
		for state := range m.States {
			hasExamples := false
			m.eachExample(state, func(exampleUse) { hasExamples = true })
			if !hasExamples || !m.isPlayed(state) {
				continue
			}
			for _, i := range m.rows[state] {
				d := m.Transitions[i].Decision
				if (d == personas.DecideReject || d == personas.DecideKickOut) && !m.tellsOffline(state, d) {
					report(m.transitionPath(i), "state %q has offline examples, but nothing for this %s, so the built-in model hardly ever chooses it", m.States[state].Key, d)
				}
			}
		}
	}
}
