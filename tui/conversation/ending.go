package conversation

import (
	"fmt"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playwords"
)

// EndingNews is an ending as a player is told it: what it was, and in sentences where, why
// and what it opens.
type EndingNews struct {
	playwords.Ending
	Place string   // the part, and the score where one counts: "The gate, score 3 of 3"
	Told  []string // sentences
}

// TellEnding tells the ending of a machine between two standings; unlocked are the ids of
// the machines that it has opened. Of a session that was not watched, before is the zero
// Standing but for its Redirects of -1.
func (p *Persona) TellEnding(m *Machine, before, after Standing, unlocked []string) EndingNews {
	news := EndingNews{Ending: EndingOf(after.Outcome), Place: m.Title}
	if m.Scoring {
		news.Place += ", " + m.finalScore(after.Score)
	}
	for _, said := range []string{m.endingReason(before, after, p.CharacterName()), p.OpenedWords(unlocked)} {
		if said != "" {
			news.Told = append(news.Told, said)
		}
	}
	return news
}

// finalScore is the score at an ending: "score 2 of 3", one beyond what is enough "score 4".
func (m *Machine) finalScore(score int) string {
	if score > m.Threshold {
		return fmt.Sprintf("score %d", score)
	}
	return m.ScoreWords(score)
}

// endingReason says why a machine ended, as far as the standings tell; "" for a win, which
// needs no reason.
func (m *Machine) endingReason(before, after Standing, character string) string {
	switch outcome := personas.Outcome(after.Outcome); {
	case outcome == personas.KickOut:
		return character + " would not hear another word."
	case outcome != personas.Reject:
		return ""
	case m.Scoring && after.Score <= m.failBound:
		return fmt.Sprintf("Your score fell to %d.", after.Score)
	case m.CountTries(before) == 1 && after.Score <= before.Score: // A pass adds to the score.
		return "That was your last try."
	case m.Scoring && m.FindState(after.State).Terminal && after.Score < m.Threshold:
		return fmt.Sprintf("It takes a score of %d, and yours was %d.", m.Threshold, after.Score)
	}
	return character + " said no."
}

// Sentences tell the ending one after the other, as line mode says it.
func (n EndingNews) Sentences() []string {
	return append([]string{n.Title + ".", n.Place + "."}, n.Told...)
}
