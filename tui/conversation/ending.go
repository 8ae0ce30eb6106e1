package conversation

import (
	"slices"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// EndingNews describes an ending for the player.
type EndingNews struct {
	playwords.Ending
	Place string   // the part and its score
	Told  []string // sentences
}

// TellEnding describes the ending of a session. before is the standing before the last turn.
// unlocked contains machine ids.
func (p *Persona) TellEnding(session *Session, before Standing, unlocked []string) EndingNews {
	m := session.Machine
	news := EndingNews{Ending: EndingOf(session.Standing.Outcome), Place: m.Title}
	news.Title = session.Standing.EndingTitle()
	reason, hasScore := session.endingReason(before, p.CharacterName())
	if m.Scoring && !hasScore {
		news.Place += ", " + m.ScoreWords(session.Standing.Score)
	}
	for _, text := range []string{reason, session.Nearly, p.OpenedWords(news.Kind, unlocked)} {
		if text != "" {
			news.Told = append(news.Told, text)
		}
	}
	return news
}

func (session *Session) endingReason(before Standing, character string) (words string, hasScore bool) {
	switch personas.Outcome(session.Standing.Outcome) {
	case personas.Accept:
		return session.winReason(character)
	case personas.Reject:
		return session.lossReason(before)
	case personas.KickOut:
		return playwords.WentTooFar(character, session.lastSaid()), false
	}
	return "", false
}

// TakeBackHint explains how to take back the last message, or returns "" without a message.
func (session *Session) TakeBackHint() string {
	if session.lastSaid() == "" {
		return ""
	}
	return playwords.TakeBackHint
}

func (session *Session) winReason(character string) (words string, hasScore bool) {
	m, after := session.Machine, session.Standing
	switch {
	case !m.Scoring || after.Score < m.Threshold:
		return playwords.SaidYes(character, session.lastSaid()), false
	case after.Decision == string(personas.DecideReject):
		return playwords.SaidNoYetReached(character, session.lastSaid(), after.Score, m.Threshold), true
	}
	return playwords.ScoreReached(character, session.lastSaid(), after.Score, m.Threshold), true
}

func (session *Session) lossReason(before Standing) (words string, hasScore bool) {
	machine, after, last := session.Machine, session.Standing, session.lastSaid()
	tries := machine.CountTries(before)
	tooLow := machine.Scoring && machine.FindState(after.State).Terminal && after.Score < machine.Threshold
	rejected := after.Decision == string(personas.DecideReject)
	if after.Decision == "" { // no decision from the service
		rejected = after.Score <= before.Score
	}
	switch {
	case machine.Scoring && after.Score <= machine.failBound:
		return playwords.ScoreFell(last, after.Score), true
	case tries == 1 && after.Score <= before.Score: // A pass would have added to the score.
		return playwords.OutOfTries(last), false
	case tooLow && rejected:
		return playwords.MissedTooLow(last, after.Score-before.Score, after.Score, machine.Threshold), true
	case tooLow:
		return playwords.ScoreTooLow(last, after.Score, machine.Threshold), true
	}
	return playwords.EndedByNo(last, tries), false
}

func (session *Session) lastSaid() string {
	for _, m := range slices.Backward(session.Messages) {
		if m.Role == wire.RoleUser {
			return terminal.Clean(m.Content)
		}
	}
	return ""
}

// Sentences returns the ending as sentences, for line mode.
func (n EndingNews) Sentences() []string {
	return append([]string{n.Title + ".", n.Place + "."}, n.Told...)
}

// NotePlace updates the place and the outcome in c.User.Saved.
func (c *Current) NotePlace() {
	saved := &c.User.Saved
	saved.NotePlace(c.Session)
	switch {
	case c.IsStoryOver():
		saved.Outcome = c.Session.Standing.Outcome
	case c.knowsParts():
		saved.Outcome = ""
	}
}

func (c *Current) knowsParts() bool { return c.Machines != nil || len(c.User.Persona.Machines) == 1 }

// IsStoryOver reports whether all playable parts have ended. Without the list of parts, IsStoryOver
// returns false.
func (c *Current) IsStoryOver() bool {
	if !c.Session.Standing.IsFinished() || !c.knowsParts() {
		return false
	}
	return !slices.ContainsFunc(c.Machines, func(listed ListedMachine) bool {
		return listed.ID != c.Session.Machine.ID && (listed.Status == MachineOpen || listed.Status == MachineBegun)
	})
}

// EndWords returns a note that the story is over, or "".
func (c *Current) EndWords() string {
	if !c.IsStoryOver() {
		return ""
	}
	closed := slices.ContainsFunc(c.Machines, func(listed ListedMachine) bool { return listed.Status == MachineLocked })
	won := EndingOf(c.Session.Standing.Outcome).Kind != playwords.Lost
	return playwords.StoryOver(max(len(c.Machines), 1), won && !closed)
}

// TagWords describes the progress for a list of personas.
func (k *SavedSession) TagWords() string {
	if k.Outcome == "" {
		return playwords.StoryGoesOn
	}
	return playwords.StoryEnded(EndingOf(k.Outcome))
}
