package conversation

import (
	"fmt"
	"slices"

	"github.com/parley-npc/parley/personas"
)

// WayOut is a way out of a state. Delta is the change of the score. Words describes an ending.
type WayOut struct {
	To    *State // nil if the machine ends
	Words string
	Label string
	Delta int
}

// EndSign is the prefix of Words for an ending.
const EndSign = "✕ "

// ShownStates returns the states. If the service hides the states, ShownStates returns only the
// present one.
func (m *Machine) ShownStates(present string) []State {
	if s := m.FindState(present); len(m.states) == 0 && present != "" {
		return []State{*s}
	}
	return m.states
}

// ListWaysOut returns the visible ways out of a state. Equal ways are listed once.
func (m *Machine) ListWaysOut(from string) []WayOut {
	var list []WayOut
	seen := map[WayOut]bool{}
	for _, i := range m.outgoingMoves(from) {
		t := &m.moves[i]
		if t.Decision == personas.DecideRedirect {
			continue
		}
		exit := m.findWayOut(t)
		key := WayOut{Words: exit.Words, Label: exit.Label, Delta: exit.Delta}
		if exit.To != nil {
			key.Words = "to " + exit.To.Key
		}
		if !seen[key] && (exit.To != nil || exit.Words != "") {
			list, seen[key] = append(list, exit), true
		}
	}
	return list
}

// findWayOut follows the engine. A reject without a target goes to the target of the first pass.
func (m *Machine) findWayOut(t *personas.Transition) WayOut {
	exit := WayOut{}
	if m.Scoring {
		exit.Delta = t.ScoreDelta
	}
	to := t.To
	switch {
	case t.Decision == personas.DecideKickOut:
		return WayOut{Words: EndSign + "kicked out", Delta: exit.Delta}
	case t.Decision == personas.DecideReject && !m.Scoring:
		return WayOut{Words: EndSign + "rejected"}
	case t.Decision == personas.DecideReject:
		exit.Label = "reject"
		if to == "" || to == t.From {
			to = m.firstPass(t.From)
		}
	}
	if to != "" && to != t.From {
		exit.To = m.FindState(to)
	}
	return exit
}

func (m *Machine) firstPass(from string) string {
	best, to := 0, ""
	for i := range m.moves {
		t := &m.moves[i]
		if t.From != from || t.Decision != personas.DecidePass {
			continue
		}
		if to == "" || t.Priority < best {
			best, to = t.Priority, t.To
		}
	}
	return to
}

// UnlockHint describes how a session can unlock the machine with Title.
type UnlockHint struct{ Title, Words string }

// ListUnlockHints returns the locked machines that this session can unlock.
func (session *Session) ListUnlockHints(persona *Persona, places []ListedMachine) []UnlockHint {
	var list []UnlockHint
	for i := range persona.Links {
		l := &persona.Links[i]
		target := persona.FindMachine(l.Target)
		isLocked := slices.ContainsFunc(places, func(p ListedMachine) bool {
			return p.ID == target.ID && p.Status == MachineLocked
		})
		if isLocked && session.LeadsOn(l) {
			list = append(list, UnlockHint{target.Title, session.opensWords(l)})
		}
	}
	return list
}

// LeadsOn reports whether the present session can still open a link.
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
