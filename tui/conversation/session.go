// Package conversation implements the chat with a persona, without its display. The screen and line
// mode share the sessions, turns, retries and texts.
//
// Requester calls the service, each time with a timeout. Commands is the table of slash commands.
// The caller provides Service and Memory.
//
// All returned texts are clean (terminal.Clean).
package conversation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
	"github.com/parley-npc/parley/tui/terminal"
)

// UserSession is a player's session with a persona, across all machines.
type UserSession struct {
	Persona *Persona
	Saved   SavedSession
	// Found contains the endings from all sessions with the persona.
	Found FoundEndings
	// used means that the service has a session with this user_session_id.
	used bool
}

// Session is the session of one machine.
type Session struct {
	Machine *Machine
	ID      string
	// PlayerName is the name in this session, or "" if unknown.
	PlayerName string
	Messages   []wire.HistoryMessage
	Standing   Standing
	StartedAt  time.Time // zero if unknown
	// Resumed means that the session began in an earlier chat.
	Resumed bool
	// Tokens is the cost of an opening in this chat.
	Tokens wire.Tokens
	// Warning is an error that does not prevent play.
	Warning string
	// Nearly is the result of Requester.ReadNearly for the last message.
	Nearly string
}

func sessionOf(machine *Machine, history wire.History) *Session {
	session := &Session{
		Machine: machine, ID: history.SessionID, PlayerName: history.PlayerName, Messages: history.Messages,
		Standing: Standing{State: history.CurrentState, Score: history.Score, Redirects: -1},
		Resumed:  true, StartedAt: history.StartedAt.Time,
	}
	for i := range history.Messages {
		if m := &history.Messages[i]; m.Role == wire.RoleAssistant {
			at := &session.Standing
			at.Decision = wire.TextOf(m.Decision)
			at.FollowUpPending = followUpPending(at.FollowUpPending, m.FollowUpTriggered, m.Aside)
		}
	}
	if history.RedirectCount != nil {
		session.Standing.Redirects = *history.RedirectCount
	}
	session.Standing.Outcome = wire.TextOf(history.Outcome)
	if session.Standing.IsFinished() {
		session.Standing.Ending = terminal.Clean(history.Ending)
	}
	return session
}

// AddTurn adds a message and its reply, and updates the standing.
func (session *Session) AddTurn(text string, reply *wire.Reply) {
	session.Standing = session.Standing.After(reply)
	session.Messages = append(session.Messages,
		wire.HistoryMessage{Role: wire.RoleUser, Content: text},
		wire.HistoryMessage{
			Role: wire.RoleAssistant, Content: reply.Message,
			StateKeyAtTime: session.Standing.State, ScoreAtTime: session.Standing.Score,
		})
}

// MachineOpener is the type of EnterMachine and BeginMachine.
type MachineOpener func(
	ctx context.Context, user *UserSession, machine string, onDelta func(string) error,
) (*Session, error)

// Current is the state of a chat.
type Current struct {
	User     *UserSession
	Session  *Session
	Machines []ListedMachine // from the last request
	Spent    Spending
	Carried  []string // "name: value" of variables from other machines
	// Author selects the author's view with all states, points and unlock conditions. Players see
	// only visited states and their tries.
	Author bool
}

// MaxLabel is the maximum length of a label in characters.
const MaxLabel = 60

const maxLastWords = 120

// NotePlace updates the place and the last words. Outcome is cleared during play.
func (k *SavedSession) NotePlace(session *Session) {
	k.Machine, k.Place, k.LastWords = session.Machine.ID, session.Machine.placeWords(session.Standing), ""
	if !session.Standing.IsFinished() {
		k.Outcome = ""
	}
	for _, m := range slices.Backward(session.Messages) {
		if m.Role == wire.RoleAssistant {
			fields := strings.Fields(strings.ReplaceAll(m.Content, "*", ""))
			said := []rune(terminal.Clean(strings.Join(fields, " ")))
			if len(said) > maxLastWords {
				said = append(said[:maxLastWords-1], '…')
			}
			k.LastWords = string(said)
			return
		}
	}
}

func (m *Machine) placeWords(at Standing) string {
	switch score := m.ScoreWords(at.Score); {
	case at.IsFinished():
		return m.Title + ", " + strings.ToLower(EndingOf(at.Outcome).Title)
	case score != "":
		return m.Title + ", " + score
	}
	return m.Title
}

// SessionRow is a row in the list of sessions.
type SessionRow struct{ Title, About, Tag, LastWords string }

// DescribeSession returns the row for a session. present is the UserSessionID of the present
// session.
func DescribeSession(saved *SavedSession, present string, now time.Time) SessionRow {
	name := terminal.Clean(cmp.Or(saved.PersonaName, saved.Persona))
	about := "as " + terminal.Clean(saved.PlayerName)
	if !saved.UsedAt.IsZero() {
		about += ", " + AgoWords(now.Sub(saved.UsedAt))
	}
	row := SessionRow{Title: name, About: about, LastWords: terminal.Clean(saved.LastWords)}
	if saved.Label != "" {
		row.Title, row.About = terminal.Clean(saved.Label), "with "+name+" "+about
	}
	if saved.Place != "" {
		row.About = terminal.Clean(saved.Place) + ", " + row.About
	}
	if saved.UserSessionID == present {
		row.Tag = "here"
	}
	return row
}

// AgoWords formats a duration in the past, for example "5 min ago".
func AgoWords(passed time.Duration) string {
	switch days := int(passed.Hours() / 24); {
	case passed < time.Minute:
		return "just now"
	case passed < time.Hour:
		return fmt.Sprintf("%d min ago", int(passed.Minutes()))
	case days < 1:
		return fmt.Sprintf("%d h ago", int(passed.Hours()))
	case days == 1:
		return "yesterday"
	default:
		return fmt.Sprintf("%d days ago", days)
	}
}

// usualGender is the default for an unknown gender.
const usualGender = "non-binary"

// NeedsName reports whether the player's name is missing.
func (user *UserSession) NeedsName() bool { return user.Saved.PlayerName == "" }

// NeedsGender reports whether the gender is missing and the persona's texts depend on it.
func (user *UserSession) NeedsGender() bool {
	return !IsGender(user.Saved.PlayerGender) && user.Persona.usesGender()
}

// IsComplete reports whether the form for the player's data can be skipped.
func (user *UserSession) IsComplete() bool { return !user.NeedsName() && !user.NeedsGender() }

// GenderReason explains the question for the gender.
const GenderReason = "Some texts depend on your gender. Enter selects " + usualGender + "."

// KeptName is the note after the player's name was stored.
const KeptName = "Your name is saved; /name changes it."

// SetPlayer sets the player's name and gender in the session and in r. An empty value changes
// nothing.
func (r *Requester) SetPlayer(user *UserSession, name, gender string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if name != "" {
		user.Saved.PlayerName, r.UsualName = name, name
	}
	if gender != "" {
		user.Saved.PlayerGender, r.UsualGender = gender, gender
	}
}

func (r *Requester) usualPlayer() (name, gender string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.UsualName, r.UsualGender
}

// KeepPlayer stores the player's name and gender for later chats.
func (r *Requester) KeepPlayer(name, gender string) error {
	if r.Options.KeepPlayer == nil {
		return nil
	}
	return r.Options.KeepPlayer(name, gender)
}

// NameIn returns the player's name in a session. A new name applies only to later sessions.
func (user *UserSession) NameIn(session *Session) string {
	return terminal.Clean(cmp.Or(session.PlayerName, user.Saved.PlayerName))
}

// RenamePlayer stores the new name in saved. Characters use the name from the next session on.
func (r *Requester) RenamePlayer(saved SavedSession) error {
	if err := r.KeepPlayer(saved.PlayerName, ""); err != nil {
		return err
	}
	return r.Memory.Remember(saved)
}

// NameNews returns a note about the new name.
func NameNews(name string) string {
	return fmt.Sprintf("Characters call you %s from the next conversation on. %s", terminal.Clean(name), KeptName)
}

// NameWords returns a note about the present name.
func NameWords(name string) string {
	return fmt.Sprintf("You are %s. To change your name, write /name and another name.", terminal.Clean(name))
}
