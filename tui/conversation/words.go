package conversation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/engine"
	"github.com/parley-npc/parley/personas/playwords"
	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// Standing is a player's state in a machine. Redirects is -1 if it is unknown. Outcome is "" if the
// machine has not ended.
type Standing struct {
	State     string
	Score     int
	Redirects int
	Outcome   string
	// Ending is the name of the ending as clean text, or "" if the ending has no name or the name
	// is unknown.
	Ending string
	// Decision is the decision of the last turn, as the HTTP interface names it, or "" if the
	// service does not report it.
	Decision string
	FollowUp bool
	// FollowUpPending means that the character has asked to hear more, and that the player has
	// since sent only asides. The character then does not ask again.
	FollowUpPending bool
}

// EndingTitle returns the ending for players, with its name if it has one: "You made
// it: The bribe".
func (s Standing) EndingTitle() string {
	title := EndingOf(s.Outcome).Title
	if s.Ending == "" {
		return title
	}
	return title + ": " + s.Ending
}

// IsFinished reports whether the machine has ended.
func (s Standing) IsFinished() bool { return s.Outcome != "" }

// After returns the standing after a reply. s is the standing before the reply.
func (s Standing) After(r *wire.Reply) Standing {
	pending := followUpPending(s.FollowUpPending, r.FollowUp, r.Aside)
	s = Standing{State: r.CurrentState, Score: r.Score, Redirects: -1, FollowUp: r.FollowUp && !r.Aside, FollowUpPending: pending}
	if r.RedirectCount != nil {
		s.Redirects = *r.RedirectCount
	}
	s.Decision, s.Outcome, s.Ending = valueOf(r.Decision), valueOf(r.Outcome), terminal.Clean(r.Ending)
	if r.MachineCompleted && s.Outcome == "" {
		s.Outcome = "completed"
	}
	return s
}

// followUpPending returns Standing.FollowUpPending after a turn. An aside keeps the previous value
// (docs/persona-file.md, "The offline model").
func followUpPending(before, followUp, aside bool) bool {
	if aside {
		return before
	}
	return followUp
}

// EndingOf returns the texts for players about an outcome.
func EndingOf(outcome string) playwords.Ending {
	return playwords.FindEnding(personas.Outcome(outcome))
}

// ScoreWords returns "score 2 of 3" or "score 4: enough (it takes 3)". For a machine without a
// score it returns "".
func (m *Machine) ScoreWords(score int) string {
	if !m.Scoring {
		return ""
	}
	return "score " + playwords.Score(score, m.Threshold)
}

// ScoreRule returns a sentence about the score that the player needs. If none is needed, it returns
// "".
func (m *Machine) ScoreRule() string {
	if !m.Scoring || m.Threshold <= 0 {
		return ""
	}
	return playwords.ScoreRule(m.Threshold)
}

// CountTries returns how many tries the player has left in the present state. If the tries are
// unlimited or unknown, or if the machine has ended, it returns 0.
func (m *Machine) CountTries(s Standing) int {
	limit := m.FindState(s.State).MaxRedirects
	if limit < 0 || s.Redirects < 0 || s.IsFinished() {
		return 0
	}
	return playwords.CountTries(s.Redirects, limit)
}

// TriesRule returns a text with how many tries the player has in the initial state, and which turns cost no try.
// For unlimited tries it returns "".
func (m *Machine) TriesRule() string {
	first := Standing{State: m.InitialState()}
	left := m.CountTries(first)
	if left == 0 {
		return ""
	}
	return strings.TrimSpace(playwords.TriesRule(left) + " " + m.FreeTalk(first))
}

// FreeTalk returns the rule that small talk costs no try in the present state. If a plain "no" can
// end the machine in this state, FreeTalk says so too. It returns "" if the tries are unlimited, or
// if small talk may cost a try.
func (m *Machine) FreeTalk(s Standing) string {
	state := m.FindState(s.State)
	if m.CountTries(s) == 0 || !state.isPatient {
		return ""
	}
	now := engine.Session{State: s.State, Score: s.Score, Redirects: s.Redirects}
	if state.losesByNo != nil && m.rules.CanEndByRefusal(now) && state.losesByNo() {
		return playwords.FreeTalkButNo
	}
	return playwords.FreeTalk
}

// TriesWords returns how many tries are left in the present state. For unlimited or unknown tries
// it returns "".
func (m *Machine) TriesWords(s Standing) string {
	if left := m.CountTries(s); left > 0 {
		return playwords.Tries(left)
	}
	return ""
}

// UsedTry reports whether a turn has used a try.
func (m *Machine) UsedTry(before, after Standing) bool {
	return before.State == after.State && m.CountTries(after) > 0 && m.CountTries(after) < m.CountTries(before)
}

func (m *Machine) triesNote(before, after Standing) string {
	left := m.CountTries(after)
	switch {
	case left == 0 || before.State == after.State && left == m.CountTries(before):
		return ""
	case m.UsedTry(before, after):
		return playwords.TryUsed(left)
	case after.Redirects > 0 || before.State == after.State:
		return playwords.Tries(left)
	case before.State == "":
		return playwords.NewTries(left)
	}
	return playwords.NewStepTries(left)
}

// FirstTriesWords returns how many tries the player has at the beginning of a chat. For unlimited
// or unknown tries it returns "".
func (m *Machine) FirstTriesWords(at Standing) string {
	return m.triesNote(Standing{Redirects: -1}, at)
}

// StandingLine returns the three fields that line mode prints for programs: state, score or "pass
// or fail", and "still going" or the ending. Their wording must not change.
func (m *Machine) StandingLine(s Standing) string {
	score, end := "pass or fail", "still going"
	if m.Scoring {
		score = fmt.Sprintf("score %d of %d", s.Score, m.Threshold)
		if s.Score > m.Threshold {
			score = fmt.Sprintf("score %d, %d needed", s.Score, m.Threshold)
		}
	}
	if s.IsFinished() {
		end = "ended: " + outcomeWords(s.Outcome)
	}
	return fmt.Sprintf("[%s] [%s] [%s]", m.FindState(s.State).Title, score, end)
}

func outcomeWords(outcome string) string {
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

// ChangeLine returns a turn's changes in one line: "On the step  +2  (2 of 3)  new step: 3 tries of
// its own". If nothing changed, it returns "". It never mentions an ending.
func (m *Machine) ChangeLine(before, after Standing) string {
	var parts []string
	if before.State != after.State && after.State != "" {
		parts = append(parts, m.FindState(after.State).Title)
	}
	if m.Scoring && before.Score != after.Score {
		parts = append(parts, playwords.Change(after.Score-before.Score), "("+playwords.ScoreBriefly(after.Score, m.Threshold)+")")
	}
	if words := m.triesNote(before, after); words != "" {
		parts = append(parts, words)
	}
	return strings.Join(parts, "  ")
}

// OpenedWords describes what an ending of the given kind has unlocked: "This opens The cellar and
// The tower.", or "" for nothing. unlocked are machine ids.
func (p *Persona) OpenedWords(kind string, unlocked []string) string {
	titles := make([]string, 0, len(unlocked))
	for _, id := range unlocked {
		titles = append(titles, p.FindMachine(id).Title)
	}
	return playwords.Opened(kind, titles)
}

// StateTitle returns the title of the player's state. For a player who was kicked out of the
// machine it returns "".
func (m *Machine) StateTitle(s Standing) string {
	if s.Outcome == string(personas.KickOut) {
		return ""
	}
	return m.FindState(s.State).Title
}

// RelationshipWords describes the level of the player's relationship with the character, which is
// the same in all machines.
func RelationshipWords(level int) string {
	return fmt.Sprintf("relationship %d (the sum of all scores, plus 1 for each win)", level)
}

// CharacterName returns the persona's name, or "Character" for a persona without a name.
func (p *Persona) CharacterName() string {
	if p.name == "" {
		return "Character"
	}
	return p.name
}

// ChangeSentences returns sentences about the changes by a turn: the state, the score, the tries,
// and whether the character wants to hear more. Line mode prints these sentences.
func (m *Machine) ChangeSentences(before, after Standing, character string) []string {
	var said []string
	if before.State != after.State && after.State != "" {
		said = append(said, "Now: "+m.FindState(after.State).Title+".")
	}
	if m.Scoring && (before.State == "" || before.Score != after.Score) {
		said = append(said, strings.TrimSpace(Capitalize(m.ScoreWords(after.Score))+". "+playwords.ScoreChanged(after.Score-before.Score)))
	}
	if words := m.triesNote(before, after); words != "" {
		said = append(said, Capitalize(words)+".")
	}
	if after.FollowUp {
		said = append(said, playwords.WantsMore(character))
	}
	return said
}

// ResetWarning asks the player to repeat /reset.
func ResetWarning(m *Machine) string {
	return fmt.Sprintf("This clears the conversation in %s. To confirm, write /reset again.", m.Title)
}

// SpeakerName returns the name of the player or of the character for a role of the interface.
func SpeakerName(user *UserSession, session *Session, role string) string {
	if role == wire.RoleUser {
		return user.NameIn(session)
	}
	return user.Persona.CharacterName()
}

// Capitalize returns s with the first byte in upper case, if that is an ASCII letter.
func Capitalize(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// EndSentence returns s with a full stop, unless it ends with a full stop, question mark or
// exclamation mark.
func EndSentence(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") {
		return s
	}
	return s + "."
}

// CountWords returns a number with a noun: "1 message", "2 messages".
func CountWords(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// HasAllWords reports whether a text contains every word. Text and words are in lower case.
func HasAllWords(s string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(s, w) })
}
