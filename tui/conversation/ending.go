package conversation

import (
	"cmp"
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// EndingNews is an ending as shown to a player: the ending, and sentences on its place, its reason
// and what it opens.
type EndingNews struct {
	playwords.Ending
	Place string   // the part, and the score of which Told says nothing: "The gate, score 1 of 3"
	Told  []string // sentences
}

// TellEnding returns the ending of a session that was at before ahead of its last turn; unlocked
// are the ids of the machines that it has opened. Of a session that was not watched, before is
// its BeforeLast.
func (p *Persona) TellEnding(sc *Session, before Standing, unlocked []string) EndingNews {
	m := sc.Machine
	news := EndingNews{Ending: EndingOf(sc.Standing.Outcome), Place: m.Title}
	news.Title = sc.Standing.EndingTitle()
	reason, hasScore := sc.endingReason(before, p.CharacterName())
	if m.Scoring && !hasScore {
		news.Place += ", " + m.ScoreWords(sc.Standing.Score)
	}
	for _, said := range []string{reason, sc.Nearly, p.OpenedWords(news.Kind, unlocked)} {
		if said != "" {
			news.Told = append(news.Told, said)
		}
	}
	return news
}

// endingReason returns why a session ended, as far as the standings and the player's last words
// tell, and whether that has the score in it.
func (sc *Session) endingReason(before Standing, character string) (words string, hasScore bool) {
	switch personas.Outcome(sc.Standing.Outcome) {
	case personas.Accept:
		return sc.winReason(character)
	case personas.Reject:
		return sc.lossReason(before)
	case personas.KickOut:
		return playwords.WentTooFar(character, sc.lastSaid()), false
	}
	return "", false
}

// TakeBackHint names the command that takes the last words of an ended session back, or is "" if
// nothing was said.
func (sc *Session) TakeBackHint() string {
	if sc.lastSaid() == "" {
		return ""
	}
	return playwords.TakeBackHint
}

func (sc *Session) winReason(character string) (words string, hasScore bool) {
	m, after := sc.Machine, sc.Standing
	switch {
	case !m.Scoring || after.Score < m.Threshold:
		return playwords.SaidYes(character, sc.lastSaid()), false
	case after.Decision == string(personas.DecideReject):
		return playwords.SaidNoYetReached(character, sc.lastSaid(), after.Score, m.Threshold), true
	}
	return playwords.ScoreReached(character, sc.lastSaid(), after.Score, m.Threshold), true
}

func (sc *Session) lossReason(before Standing) (words string, hasScore bool) {
	m, after, left := sc.Machine, sc.Standing, sc.Machine.CountTries(before)
	tooLow := m.Scoring && m.FindState(after.State).Terminal && after.Score < m.Threshold
	switch {
	case m.Scoring && after.Score <= m.failBound:
		return playwords.ScoreFell(sc.lastSaid(), after.Score), true
	case left == 1 && after.Score <= before.Score: // A pass adds to the score.
		return playwords.OutOfTries(sc.lastSaid()), false
	case tooLow && isRefusal(before, after):
		return playwords.MissedTooLow(sc.lastSaid(), after.Score-before.Score, after.Score, m.Threshold), true
	case tooLow:
		return playwords.ScoreTooLow(sc.lastSaid(), after.Score, m.Threshold), true
	}
	return playwords.EndedByNo(sc.lastSaid(), left), false
}

// lastSaid returns the player's last message, clean, or "" if it is unknown.
func (sc *Session) lastSaid() string {
	for _, m := range slices.Backward(sc.Messages) {
		if m.Role == wire.RoleUser {
			return terminal.Clean(m.Content)
		}
	}
	return ""
}

// isRefusal reports whether the last turn was a no. If the decision is unknown, a turn without
// effect counts as one.
func isRefusal(before, after Standing) bool {
	if after.Decision != "" {
		return after.Decision == string(personas.DecideReject)
	}
	return after.Score <= before.Score
}

// BeforeLast is the standing before the last turn of a session that was not watched, as far as
// its messages tell.
func (sc *Session) BeforeLast() Standing {
	before := Standing{Redirects: -1}
	last := len(sc.Messages) - 1
	for i := 0; i < last; i++ {
		if m := &sc.Messages[i]; m.Role == wire.RoleAssistant {
			before.State, before.Score = m.StateKeyAtTime, m.ScoreAtTime
		}
	}
	return before
}

// findEndingName returns the name of the ending to which one turn led, where the service did not
// tell it, or "" if the turn leaves several.
func (m *Machine) findEndingName(before, after Standing) string {
	state := ""
	if at := m.FindState(after.State); at.Terminal {
		state = at.ending
	}
	var names []string
	for i := range m.moves {
		t := &m.moves[i]
		stays := t.Decision != personas.DecidePass // A reject may lead elsewhere than it says.
		if t.From == before.State && string(t.Decision) == after.Decision && (stays || t.To == after.State) {
			names = append(names, cmp.Or(terminal.Clean(t.EndingName), state))
		}
	}
	slices.Sort(names)
	switch names = slices.Compact(names); len(names) {
	case 0: // A miss too many, without a transition of its own.
		return state
	case 1:
		return names[0]
	}
	return ""
}

// Sentences returns the ending as sentences, for line mode.
func (n EndingNews) Sentences() []string {
	return append([]string{n.Title + ".", n.Place + "."}, n.Told...)
}
