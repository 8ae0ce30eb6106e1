package tui

import (
	"fmt"
	"github.com/parley-npc/parley/personas"
	"slices"
)

// wayOut is a way out of a state: where it leads, and what it adds to the score. A
// way that ends the machine leads to no state; words say so.
type wayOut struct {
	to    *state // nil at an end
	words string
	label string // "reject" where it is one
	delta int
}

// endSign stands before a way out that ends the machine.
const endSign = "✕ "

// shownStates are the machine's states, with the present one if the service keeps it to
// itself.
func (m *machine) shownStates(present string) []state {
	if s := m.findState(present); len(m.states) == 0 && present != "" {
		return []state{*s}
	}
	return m.states
}

// listWaysOut are the ways out of a state, as far as the service shows them: what lets
// the player stay is left out, and ways that look alike are one.
func (m *machine) listWaysOut(from string) []wayOut {
	var list []wayOut
	seen := map[wayOut]bool{}
	for _, i := range m.triedMoves(from) {
		t := &m.moves[i]
		if t.Decision == personas.DecideRedirect {
			continue
		}
		e := m.findWayOut(t)
		key := wayOut{words: e.words, label: e.label, delta: e.delta}
		if e.to != nil {
			key.words = "to " + e.to.key
		}
		if !seen[key] && (e.to != nil || e.words != "") {
			list, seen[key] = append(list, e), true
		}
	}
	return list
}

// triedMoves are the places of a state's transitions in the order in which they are
// tried, which is the director's too; in the document's where the service does not
// show the whole machine.
func (m *machine) triedMoves(from string) []int {
	if m.rules != nil {
		return m.outgoingMoves(from)
	}
	var list []int
	for i := range m.moves {
		if m.moves[i].From == from {
			list = append(list, i)
		}
	}
	return list
}

// findWayOut says where a transition leads, as the engine has it (docs/persona-file.md):
// a reject leads to its own state or along the first pass.
func (m *machine) findWayOut(t *personas.Transition) wayOut {
	e := wayOut{}
	if m.scoring {
		e.delta = t.ScoreDelta
	}
	to := t.To
	switch {
	case t.Decision == personas.DecideKickOut:
		return wayOut{words: endSign + "kicked out", delta: e.delta}
	case t.Decision == personas.DecideReject && !m.scoring:
		return wayOut{words: endSign + "rejected"}
	case t.Decision == personas.DecideReject:
		e.label = "reject"
		if to == "" || to == t.From {
			to = m.firstPass(t.From)
		}
	}
	if to != "" && to != t.From {
		e.to = m.findState(to)
	}
	return e
}

func (m *machine) firstPass(from string) string {
	best, to := 0, ""
	for i := range m.moves {
		t := &m.moves[i]
		if t.From == from && t.Decision == personas.DecidePass && (to == "" || t.Priority < best) {
			best, to = t.Priority, t.To
		}
	}
	return to
}

// unlockHint is a locked machine to which the present one leads, and what for.
type unlockHint struct{ title, words string }

// listUnlockHints are the locked machines that this session can open.
func (sc *session) listUnlockHints(c *persona, places []listedMachine) []unlockHint {
	var list []unlockHint
	for i := range c.links {
		l := &c.links[i]
		if target := c.findMachine(l.Target); sc.leadsOn(l) && isLocked(places, target) {
			list = append(list, unlockHint{target.title, sc.opensWords(l)})
		}
	}
	return list
}

// leadsOn tells whether a link can open something at the end of what is played.
func (sc *session) leadsOn(l *personas.Link) bool {
	return l.Source == sc.machine.key && !sc.standing.isFinished()
}

func isLocked(places []listedMachine, m *machine) bool {
	return slices.ContainsFunc(places, func(p listedMachine) bool { return p.id == m.id && p.status == machineLocked })
}

// opensWords says what a link asks of the present session, and what is missing.
func (sc *session) opensWords(l *personas.Link) string {
	switch l.Condition {
	case personas.IfOutcome:
		return "when " + outcomeWords(string(l.Outcome))
	case personas.IfScoreGTE:
		if missing := l.Score - sc.standing.score; missing > 0 {
			return fmt.Sprintf("with %d or more: %d to go", l.Score, missing)
		}
		return fmt.Sprintf("with %d or more: enough so far", l.Score)
	case personas.IfScoreLTE:
		return fmt.Sprintf("with %d or less", l.Score)
	}
	return "at any ending"
}
