package conversation

import (
	"fmt"
	"slices"

	"github.com/parley-npc/parley/personas"
)

// WayOut is a way out of a state. To is the target state, and Delta the change of the score. If the
// way ends the machine, To is nil and Words describes the ending.
type WayOut struct {
	To    *State // nil if the machine ends
	Words string
	Label string // "reject" for a reject, else ""
	Delta int
}

// EndSign is the beginning of WayOut.Words if the way ends the machine.
const EndSign = "✕ "

// ShownStates returns the machine's states, or only the present one if the service
// reveals no states.
func (m *Machine) ShownStates(present string) []State {
	if s := m.FindState(present); len(m.states) == 0 && present != "" {
		return []State{*s}
	}
	return m.states
}

// ListWaysOut returns the ways out of a state, as far as the service reveals them. It omits
// transitions that stay in the state. It returns several ways with the same target and texts only
// once.
func (m *Machine) ListWaysOut(from string) []WayOut {
	var list []WayOut
	seen := map[WayOut]bool{}
	for _, i := range m.outgoingMoves(from) {
		t := &m.moves[i]
		if t.Decision == personas.DecideRedirect {
			continue
		}
		e := m.findWayOut(t)
		key := WayOut{Words: e.Words, Label: e.Label, Delta: e.Delta}
		if e.To != nil {
			key.Words = "to " + e.To.Key
		}
		if !seen[key] && (e.To != nil || e.Words != "") {
			list, seen[key] = append(list, e), true
		}
	}
	return list
}

// findWayOut returns the way out for a transition, according to the rules of the engine: a reject
// without a target has the target of the first pass from the same state.
func (m *Machine) findWayOut(t *personas.Transition) WayOut {
	e := WayOut{}
	if m.Scoring {
		e.Delta = t.ScoreDelta
	}
	to := t.To
	switch {
	case t.Decision == personas.DecideKickOut:
		return WayOut{Words: EndSign + "kicked out", Delta: e.Delta}
	case t.Decision == personas.DecideReject && !m.Scoring:
		return WayOut{Words: EndSign + "rejected"}
	case t.Decision == personas.DecideReject:
		e.Label = "reject"
		if to == "" || to == t.From {
			to = m.firstPass(t.From)
		}
	}
	if to != "" && to != t.From {
		e.To = m.FindState(to)
	}
	return e
}

func (m *Machine) firstPass(from string) string {
	best, to := 0, ""
	for i := range m.moves {
		t := &m.moves[i]
		if t.From == from && t.Decision == personas.DecidePass && (to == "" || t.Priority < best) {
			best, to = t.Priority, t.To
		}
	}
	return to
}

// UnlockHint describes how a session can unlock a machine. Title is the title of the locked machine,
// and Words describes the condition of the link to it.
type UnlockHint struct{ Title, Words string }

// ListUnlockHints returns the locked machines that this session can unlock.
func (session *Session) ListUnlockHints(c *Persona, places []ListedMachine) []UnlockHint {
	var list []UnlockHint
	for i := range c.Links {
		l := &c.Links[i]
		target := c.FindMachine(l.Target)
		isLocked := slices.ContainsFunc(places, func(p ListedMachine) bool { return p.ID == target.ID && p.Status == MachineLocked })
		if isLocked && session.LeadsOn(l) {
			list = append(list, UnlockHint{target.Title, session.opensWords(l)})
		}
	}
	return list
}

// LeadsOn reports whether a link starts at this session's machine and the session has not ended.
func (session *Session) LeadsOn(l *personas.Link) bool {
	return l.Source == session.Machine.Key && !session.Standing.IsFinished()
}

func (session *Session) opensWords(l *personas.Link) string {
	switch l.Condition {
	case personas.IfOutcome:
		return "when " + outcomeWords(string(l.Outcome))
	case personas.IfScoreGTE:
		if missing := l.Score - session.Standing.Score; missing > 0 {
			return fmt.Sprintf("with a score of %d or more: %d to go", l.Score, missing)
		}
		return fmt.Sprintf("with a score of %d or more: enough so far", l.Score)
	case personas.IfScoreLTE:
		return fmt.Sprintf("with a score of %d or less", l.Score)
	}
	return "at any ending"
}
