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

// Standing is a player's state in a machine. Redirects is -1 if unknown. Outcome is "" during play.
type Standing struct {
	State     string
	Score     int
	Redirects int
	Outcome   string
	// Ending is the clean name of the ending, or "".
	Ending string
	// Decision is the decision of the last turn, or "" if unknown.
	Decision string
	FollowUp bool
	// FollowUpPending is true after a follow-up question, until the first message that is not an
	// aside.
	FollowUpPending bool
}

// EndingTitle returns the title and name of the ending, for example "You made it: The bribe".
func (s Standing) EndingTitle() string {
	title := EndingOf(s.Outcome).Title
	if s.Ending == "" {
		return title
	}
	return title + ": " + s.Ending
}

// IsFinished reports whether the machine has ended.
func (s Standing) IsFinished() bool { return s.Outcome != "" }

// After returns the standing after a reply.
func (s Standing) After(r *wire.Reply) Standing {
	s = Standing{
		State: r.CurrentState, Score: r.Score, Redirects: -1, FollowUp: r.FollowUp && !r.Aside,
		FollowUpPending: followUpPending(s.FollowUpPending, r.FollowUp, r.Aside),
	}
	if r.RedirectCount != nil {
		s.Redirects = *r.RedirectCount
	}
	s.Decision, s.Outcome, s.Ending = wire.TextOf(r.Decision), wire.TextOf(r.Outcome), terminal.Clean(r.Ending)
	if r.MachineCompleted && s.Outcome == "" {
		s.Outcome = "completed"
	}
	return s
}

func followUpPending(before, followUp, aside bool) bool {
	if aside {
		return before
	}
	return followUp
}

// EndingOf returns the texts about an outcome.
func EndingOf(outcome string) playwords.Ending {
	return playwords.FindEnding(personas.Outcome(outcome))
}

// ScoreWords returns the score, for example "score 2 of 3". A machine without a score returns "".
func (m *Machine) ScoreWords(score int) string {
	if !m.Scoring {
		return ""
	}
	return "score " + playwords.Score(score, m.Threshold)
}

// ScoreRule returns a sentence about the score that the player needs, or "".
func (m *Machine) ScoreRule() string {
	if !m.Scoring || m.Threshold <= 0 {
		return ""
	}
	return playwords.ScoreRule(m.Threshold)
}

// CountTries returns the number of tries left. CountTries returns 0 for unlimited or unknown tries,
// and after the end.
func (m *Machine) CountTries(s Standing) int {
	limit := m.FindState(s.State).MaxRedirects
	if limit < 0 || s.Redirects < 0 || s.IsFinished() {
		return 0
	}
	return playwords.CountTries(s.Redirects, limit)
}

// TriesRule explains the tries of the initial state, or returns "" for unlimited tries.
func (m *Machine) TriesRule() string {
	first := Standing{State: m.InitialState()}
	tries := m.CountTries(first)
	if tries == 0 {
		return ""
	}
	return strings.TrimSpace(playwords.TriesRule(tries) + " " + m.FreeTalk(first))
}

// FreeTalk explains that small talk costs no try. A possible loss by a plain "no" is mentioned.
// FreeTalk returns "" if small talk may cost a try.
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

// TriesWords returns the number of tries left as text, or "".
func (m *Machine) TriesWords(s Standing) string {
	if tries := m.CountTries(s); tries > 0 {
		return playwords.Tries(tries)
	}
	return ""
}

// UsedTry reports whether a turn has used a try.
func (m *Machine) UsedTry(before, after Standing) bool {
	return before.State == after.State && m.CountTries(after) > 0 && m.CountTries(after) < m.CountTries(before)
}

func (m *Machine) triesNote(before, after Standing) string {
	tries, sameState := m.CountTries(after), before.State == after.State
	switch {
	case tries == 0 || sameState && tries == m.CountTries(before):
		return ""
	case m.UsedTry(before, after):
		return playwords.TryUsed(tries)
	case after.Redirects > 0 || sameState:
		return playwords.Tries(tries)
	case before.State == "":
		return playwords.NewTries(tries)
	}
	return playwords.NewStepTries(tries)
}

// FirstTriesWords returns the number of tries at the start of a chat as text, or "".
func (m *Machine) FirstTriesWords(standing Standing) string {
	return m.triesNote(Standing{Redirects: -1}, standing)
}

// StandingLine returns the state, score and ending in line mode. Programs parse the line, so the
// wording must not change.
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

// ChangeLine describes the changes of a turn in one line, without an ending. ChangeLine returns ""
// without a change.
func (m *Machine) ChangeLine(before, after Standing) string {
	var parts []string
	if before.State != after.State && after.State != "" {
		parts = append(parts, m.FindState(after.State).Title)
	}
	if m.Scoring && before.Score != after.Score {
		parts = append(parts, playwords.Change(after.Score-before.Score),
			"("+playwords.ScoreBriefly(after.Score, m.Threshold)+")")
	}
	if words := m.triesNote(before, after); words != "" {
		parts = append(parts, words)
	}
	return strings.Join(parts, "  ")
}

// OpenedWords describes the machines that an ending has unlocked, or returns "". unlocked contains
// machine ids.
func (p *Persona) OpenedWords(kind string, unlocked []string) string {
	titles := make([]string, 0, len(unlocked))
	for _, id := range unlocked {
		titles = append(titles, p.FindMachine(id).Title)
	}
	return playwords.Opened(kind, titles)
}

// StateTitle returns the title of the player's state, or "" after a kick-out.
func (m *Machine) StateTitle(s Standing) string {
	if s.Outcome == string(personas.KickOut) {
		return ""
	}
	return m.FindState(s.State).Title
}

// RelationshipWords describes the relationship level.
func RelationshipWords(level int) string {
	return fmt.Sprintf("relationship %d (the sum of all scores, plus 1 for each win)", level)
}

// CharacterName returns the persona's name, or "Character" without a name.
func (p *Persona) CharacterName() string {
	if p.name == "" {
		return "Character"
	}
	return p.name
}

// ChangeSentences describes the changes of a turn in sentences, for line mode.
func (m *Machine) ChangeSentences(before, after Standing, character string) []string {
	var sentences []string
	if before.State != after.State && after.State != "" {
		sentences = append(sentences, "Now: "+m.FindState(after.State).Title+".")
	}
	if m.Scoring && (before.State == "" || before.Score != after.Score) {
		score := Capitalize(m.ScoreWords(after.Score)) + ". " + playwords.ScoreChanged(after.Score-before.Score)
		sentences = append(sentences, strings.TrimSpace(score))
	}
	if words := m.triesNote(before, after); words != "" {
		sentences = append(sentences, Capitalize(words)+".")
	}
	if after.FollowUp {
		sentences = append(sentences, playwords.WantsMore(character))
	}
	return sentences
}

// ResetWarning asks the player to repeat /reset.
func ResetWarning(m *Machine) string {
	return fmt.Sprintf("This clears the conversation in %s. To confirm, write /reset again.", m.Title)
}

// SpeakerName returns the name of the player or of the character. role is a role of the HTTP
// interface.
func SpeakerName(user *UserSession, session *Session, role string) string {
	if role == wire.RoleUser {
		return user.NameIn(session)
	}
	return user.Persona.CharacterName()
}

// Capitalize converts the first byte to upper case if the byte is an ASCII letter.
func Capitalize(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// EndSentence returns s with a final punctuation mark.
func EndSentence(s string) string {
	if strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") {
		return s
	}
	return s + "."
}

// CountWords returns a number with a noun, for example "2 messages".
func CountWords(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// HasAllWords reports whether a text contains every word. Text and words are in lower case.
func HasAllWords(s string, words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(s, w) })
}
