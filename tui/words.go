package tui

import (
	"fmt"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/wire"
)

// standing is where a player is in a machine. redirects is -1 when the service
// has not said it, outcome "" while the machine runs.
type standing struct {
	state     string
	score     int
	redirects int
	outcome   string
	followUp  bool
}

func (s standing) isFinished() bool { return s.outcome != "" }

func standingOf(r *wire.Reply) standing {
	s := standing{state: r.CurrentState, score: r.Score, redirects: -1, followUp: r.FollowUp}
	if r.RedirectCount != nil {
		s.redirects = *r.RedirectCount
	}
	if r.Outcome != nil {
		s.outcome = *r.Outcome
	}
	if r.MachineCompleted && s.outcome == "" {
		s.outcome = "completed"
	}
	return s
}

// outcomeWords says an outcome as a player reads it.
func outcomeWords(outcome string) string {
	switch personas.Outcome(outcome) {
	case personas.Accept:
		return "accepted"
	case personas.Reject:
		return "rejected"
	case personas.KickOut:
		return "kicked out"
	}
	return strings.ToLower(Clean(outcome))
}

// scoreWords is "score 2 of 3", or "pass or fail" where nothing is counted.
func (m *machine) scoreWords(score int) string {
	if !m.scoring {
		return "pass or fail"
	}
	return fmt.Sprintf("score %d of %d", score, m.threshold)
}

// redirectWords says how often the player may still be redirected in the
// present state; "" where that is unlimited or not known.
func (m *machine) redirectWords(s standing) string {
	limit := m.findState(s.state).maxRedirects
	if limit < 0 || s.redirects < 0 || s.isFinished() {
		return ""
	}
	switch left := limit - s.redirects; {
	case left <= 0:
		return "no redirects left"
	case left == 1:
		return "1 redirect left"
	default:
		return fmt.Sprintf("%d redirects left", left)
	}
}

func endingWords(outcome string) string {
	if outcome == "" {
		return "still going"
	}
	return "ended: " + outcomeWords(outcome)
}

// standingLine is the standing in line mode's three fields.
func (m *machine) standingLine(s standing) string {
	return fmt.Sprintf("[%s] [%s] [%s]", m.findState(s.state).title, m.scoreWords(s.score), endingWords(s.outcome))
}

// changeNotes says what changed between two standings: state, score, ending, in this
// order; what was unlocked follows from unlockedNotes.
func (m *machine) changeNotes(before, after standing) []string {
	var notes []string
	if before.state != after.state && after.state != "" {
		notes = append(notes, "Now: "+m.findState(after.state).title)
	}
	if m.scoring && before.score != after.score {
		notes = append(notes, fmt.Sprintf("Score %d of %d (%+d)", after.score, m.threshold, after.score-before.score))
	}
	if after.isFinished() {
		notes = append(notes, fmt.Sprintf("%s ended: %s", m.title, outcomeWords(after.outcome)))
	}
	return notes
}

func (c *persona) unlockedNotes(unlocked []string) []string {
	notes := make([]string, 0, len(unlocked))
	for _, id := range unlocked {
		notes = append(notes, "Unlocked: "+c.findMachine(id).title)
	}
	return notes
}

// characterName is how the persona is called in line mode and above its turns.
func (c *persona) characterName() string {
	if c.name == "" {
		return "Character"
	}
	return c.name
}

// changeSentences says in sentences what a turn has changed: state, score, redirects,
// what the character waits for, ending, in this order. Line mode says them to
// people.
func (m *machine) changeSentences(before, after standing, character string) []string {
	var said []string
	if before.state != after.state && after.state != "" {
		said = append(said, "Now: "+m.findState(after.state).title+".")
	}
	switch {
	case !m.scoring && before.state == "":
		said = append(said, "It is pass or fail here.")
	case m.scoring && (before.state == "" || before.score != after.score):
		said = append(said, capitalize(m.scoreWords(after.score))+moreWords(after.score-before.score)+".")
	}
	// The same number in another state is another number.
	if words := m.redirectWords(after); words != "" && (words != m.redirectWords(before) || before.state != after.state) {
		said = append(said, capitalize(words)+".")
	}
	if after.followUp {
		said = append(said, character+" wants to hear more.")
	}
	if after.isFinished() {
		said = append(said, m.title+" ended: "+outcomeWords(after.outcome)+".")
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

func resetWarning(m *machine) string {
	return fmt.Sprintf("This clears the conversation in %s. Write /reset once more to do it.", m.title)
}

func speakerName(v *userSession, role string) string {
	if role == wire.RoleUser {
		return Clean(v.saved.PlayerName)
	}
	return v.persona.characterName()
}

func capitalize(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// endSentence is a sentence with its end.
func endSentence(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") {
		return s
	}
	return s + "."
}

// countWords is a number of things: "1 message", "2 messages".
func countWords(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func hasAllWords(s string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(s, w) {
			return false
		}
	}
	return true
}
