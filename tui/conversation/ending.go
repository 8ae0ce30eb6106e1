package conversation

import (
	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
)

// EndingNews is an ending as a player is told it: what it was, and in sentences where, why
// and what it opens.
type EndingNews struct {
	playwords.Ending
	Place string   // the part, and the score where one counts: "The gate, score 3 of 3"
	Told  []string // sentences
}

// TellEnding tells the ending of a machine between two standings; unlocked are the ids of
// the machines that it has opened. Of a session that was not watched, before is its
// BeforeLast.
func (p *Persona) TellEnding(m *Machine, before, after Standing, unlocked []string) EndingNews {
	news := EndingNews{Ending: EndingOf(after.Outcome), Place: m.Title}
	if m.Scoring {
		news.Place += ", " + m.ScoreWords(after.Score)
	}
	for _, said := range []string{m.endingReason(before, after, p.CharacterName()), p.OpenedWords(unlocked)} {
		if said != "" {
			news.Told = append(news.Told, said)
		}
	}
	return news
}

// endingReason says why a machine ended, as far as the standings tell; "" for a win, which
// needs no reason.
func (m *Machine) endingReason(before, after Standing, character string) string {
	switch outcome := personas.Outcome(after.Outcome); {
	case outcome == personas.KickOut:
		return playwords.LostPatience(character)
	case outcome != personas.Reject:
		return ""
	case m.Scoring && after.Score <= m.failBound:
		return playwords.ScoreFell(after.Score)
	case m.CountTries(before) == 1 && after.Score <= before.Score: // A pass adds to the score.
		return playwords.OutOfTries
	case m.Scoring && m.FindState(after.State).Terminal && after.Score < m.Threshold && !isRefusal(before, after):
		return playwords.ScoreTooLow(after.Score, m.Threshold)
	}
	return playwords.SaidNo(character)
}

// isRefusal tells whether the last turn was a no; where nobody tells, what added nothing is one.
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

// Sentences tell the ending one after the other, as line mode says it.
func (n EndingNews) Sentences() []string {
	return append([]string{n.Title + ".", n.Place + "."}, n.Told...)
}
