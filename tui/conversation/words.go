package conversation

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// Standing is where a player is in a machine. redirects is -1 when the service
// has not said it, outcome "" while the machine runs.
type Standing struct {
	State     string
	Score     int
	Redirects int
	Outcome   string
	FollowUp  bool
	// FollowUpPending says that the character asked to hear more and has heard
	// nothing but asides since: it does not ask again.
	FollowUpPending bool
}

// IsFinished tells whether the machine has ended.
func (s Standing) IsFinished() bool { return s.Outcome != "" }

// After is where a reply leaves a player who stood there.
func (s Standing) After(r *wire.Reply) Standing {
	pending := followUpPending(s.FollowUpPending, r.FollowUp, r.Aside)
	s = Standing{State: r.CurrentState, Score: r.Score, Redirects: -1, FollowUp: r.FollowUp && !r.Aside, FollowUpPending: pending}
	if r.RedirectCount != nil {
		s.Redirects = *r.RedirectCount
	}
	if r.Outcome != nil {
		s.Outcome = *r.Outcome
	}
	if r.MachineCompleted && s.Outcome == "" {
		s.Outcome = "completed"
	}
	return s
}

// followUpPending tells whether a follow-up waits after a turn: an aside leaves it as
// it was (persona-file, "The offline model").
func followUpPending(before, followUp, aside bool) bool {
	if aside {
		return before
	}
	return followUp
}

// OutcomeWords says an outcome as a player reads it.
func OutcomeWords(outcome string) string {
	switch personas.Outcome(outcome) {
	case personas.Accept:
		return "accepted"
	case personas.Reject:
		return "rejected"
	case personas.KickOut:
		return "kicked out"
	}
	return strings.ToLower(terminal.Clean(outcome))
}

// ScoreWords is "score 2 of 3", "score 4, 3 needed", or "pass or fail" where nothing is
// counted.
func (m *Machine) ScoreWords(score int) string {
	if !m.Scoring {
		return "pass or fail"
	}
	return "score " + m.scoreText(score)
}

// scoreText is a score beside the one that is needed. One above it is not "of" it.
func (m *Machine) scoreText(score int) string {
	if score > m.Threshold {
		return fmt.Sprintf("%d, %d needed", score, m.Threshold)
	}
	return fmt.Sprintf("%d of %d", score, m.Threshold)
}

// RedirectWords says how often the player may still be redirected in the
// present state; "" where that is unlimited or not known.
func (m *Machine) RedirectWords(s Standing) string {
	limit := m.FindState(s.State).MaxRedirects
	if limit < 0 || s.Redirects < 0 || s.IsFinished() {
		return ""
	}
	switch left := limit - s.Redirects; {
	case left <= 0:
		return "no redirects left"
	case left == 1:
		return "1 redirect left"
	default:
		return fmt.Sprintf("%d redirects left", left)
	}
}

// EndingWords is "still going", or how it ended: "ended: accepted".
func EndingWords(outcome string) string {
	if outcome == "" {
		return "still going"
	}
	return "ended: " + OutcomeWords(outcome)
}

// StandingLine is the standing in line mode's three fields.
func (m *Machine) StandingLine(s Standing) string {
	return fmt.Sprintf("[%s] [%s] [%s]", m.FindState(s.State).Title, m.ScoreWords(s.Score), EndingWords(s.Outcome))
}

// ChangeNotes says what changed between two standings: state, score, ending, in this
// order; what was unlocked follows from UnlockedNotes.
func (m *Machine) ChangeNotes(before, after Standing) []string {
	var notes []string
	if before.State != after.State && after.State != "" {
		notes = append(notes, "Now: "+m.FindState(after.State).Title)
	}
	if m.Scoring && before.Score != after.Score {
		notes = append(notes, fmt.Sprintf("Score %s (%+d)", m.scoreText(after.Score), after.Score-before.Score))
	}
	if after.IsFinished() {
		notes = append(notes, fmt.Sprintf("%s ended: %s", m.Title, OutcomeWords(after.Outcome)))
	}
	return notes
}

// UnlockedNotes name the machines that an ending has unlocked, by their ids.
func (p *Persona) UnlockedNotes(outcome string, unlocked []string) []string {
	notes := make([]string, 0, len(unlocked))
	for _, id := range unlocked {
		notes = append(notes, UnlockedWords(outcome)+": "+p.FindMachine(id).Title)
	}
	return notes
}

// UnlockedWords says that a machine can be played now: as a reward for who has won, and as
// what is left for who has lost.
func UnlockedWords(outcome string) string {
	if outcome == string(personas.Accept) || outcome == "" {
		return "Unlocked"
	}
	return "What you can play now"
}

// StateTitle is the title of the state in which a player stands, "" for one who was kicked
// out of the machine.
func (m *Machine) StateTitle(s Standing) string {
	if s.Outcome == string(personas.KickOut) {
		return ""
	}
	return m.FindState(s.State).Title
}

// RelationshipWords says how a player stands with the character in all that was played.
func RelationshipWords(level int) string {
	return fmt.Sprintf("relationship %d (all scores, and 1 for each win)", level)
}

// CharacterName is how the persona is called in line mode and above its turns.
func (p *Persona) CharacterName() string {
	if p.name == "" {
		return "Character"
	}
	return p.name
}

// ChangeSentences says in sentences what a turn has changed: state, score, redirects,
// what the character waits for, ending, in this order. Line mode says them to
// people.
func (m *Machine) ChangeSentences(before, after Standing, character string) []string {
	var said []string
	if before.State != after.State && after.State != "" {
		said = append(said, "Now: "+m.FindState(after.State).Title+".")
	}
	switch {
	case !m.Scoring && before.State == "":
		said = append(said, "It is pass or fail here.")
	case m.Scoring && (before.State == "" || before.Score != after.Score):
		said = append(said, Capitalize(m.ScoreWords(after.Score))+moreWords(after.Score-before.Score)+".")
	}
	// The same number in another state is another number.
	if words := m.RedirectWords(after); words != "" && (words != m.RedirectWords(before) || before.State != after.State) {
		said = append(said, Capitalize(words)+".")
	}
	if after.FollowUp {
		said = append(said, character+" wants to hear more.")
	}
	if after.IsFinished() {
		said = append(said, m.Title+" ended: "+OutcomeWords(after.Outcome)+".")
	}
	return said
}

// moreWords says a difference of scores as it is read aloud.
func moreWords(by int) string {
	switch {
	case by > 0:
		return fmt.Sprintf(", %d more than before", by)
	case by < 0:
		return fmt.Sprintf(", %d less than before", -by)
	}
	return ""
}

// ResetWarning asks to say /reset once more.
func ResetWarning(m *Machine) string {
	return fmt.Sprintf("This clears the conversation in %s. Write /reset once more to do it.", m.Title)
}

// SpeakerName is who speaks in a role of the interface.
func SpeakerName(v *UserSession, role string) string {
	if role == wire.RoleUser {
		return terminal.Clean(v.Saved.PlayerName)
	}
	return v.Persona.CharacterName()
}

// Capitalize begins a sentence with a capital.
func Capitalize(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// EndSentence is a sentence with its end.
func EndSentence(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") {
		return s
	}
	return s + "."
}

// CountWords is a number of things: "1 message", "2 messages".
func CountWords(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// HasAllWords tells whether a text has every word; both are in lower case.
func HasAllWords(s string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(s, w) {
			return false
		}
	}
	return true
}
