// Package conversation implements a player's conversation with a service, independent of its
// display: sessions, turns and their retries, the machines and the player's state in them, the
// explanations for authors, and the texts for all of these.
//
// Requester calls the service, each time with a deadline. Commands is the table of slash commands
// for the screen and line mode. The caller provides Service and Memory.
//
// All texts that the package returns are clean (terminal.Clean). It does not depend on the screen.
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
	// Found contains the endings that the player has found in all sessions with the persona.
	Found FoundEndings
	// used means that a session with this user_session_id exists on the service.
	used bool
}

// Session is the state of a machine's session: the messages and the player's standing.
type Session struct {
	Machine *Machine
	ID      string
	// PlayerName is the player's name in this session, or "" if it is unknown.
	PlayerName string
	Messages   []wire.HistoryMessage
	Standing   Standing
	StartedAt  time.Time // zero if unknown
	// Resumed means that the session began in an earlier chat.
	Resumed bool
	// Tokens is the cost of the opening, or zero if an earlier chat requested the opening.
	Tokens wire.Tokens
	// Warning is a problem that does not prevent play.
	Warning string
	// Nearly is the result of Requester.ReadNearly for the message that ended the session.
	Nearly string
}

func sessionOf(m *Machine, h wire.History) *Session {
	sc := &Session{Machine: m, ID: h.SessionID, PlayerName: h.PlayerName, Messages: h.Messages, Resumed: true, StartedAt: h.StartedAt.Time}
	sc.Standing = Standing{State: h.CurrentState, Score: h.Score, Redirects: -1}
	for i := range h.Messages {
		if m := &h.Messages[i]; m.Role == wire.RoleAssistant {
			sc.Standing.Decision = valueOf(m.Decision)
			sc.Standing.FollowUpPending = followUpPending(sc.Standing.FollowUpPending, m.FollowUpTriggered, m.Aside)
		}
	}
	if h.RedirectCount != nil {
		sc.Standing.Redirects = *h.RedirectCount
	}
	sc.Standing.Outcome = valueOf(h.Outcome)
	if sc.Standing.IsFinished() {
		sc.Standing.Ending = terminal.Clean(h.Ending)
	}
	return sc
}

func valueOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// AddTurn adds a message and its reply, and updates the standing.
func (session *Session) AddTurn(text string, reply *wire.Reply) {
	session.Standing = session.Standing.After(reply)
	session.Messages = append(session.Messages,
		wire.HistoryMessage{Role: wire.RoleUser, Content: text},
		wire.HistoryMessage{Role: wire.RoleAssistant, Content: reply.Message, StateKeyAtTime: session.Standing.State, ScoreAtTime: session.Standing.Score})
}

// MachineOpener is a method of Requester that opens a machine, EnterMachine or BeginMachine.
type MachineOpener func(ctx context.Context, v *UserSession, machine string, heard func(string) error) (*Session, error)

// Current is the state of a chat: the player, the present session, and the last known state of the
// other machines.
type Current struct {
	User     *UserSession
	Session  *Session
	Machines []ListedMachine // as last read from the service
	Spent    Spending
	Carried  []string // variables that other machines have set, "name: value"
	// Author selects the author's view, which shows all states, points, and what unlocks machines.
	// The player's view shows only where the player has been and how many tries are left.
	Author bool
}

// MaxLabel is the maximum length of a session's label, in characters.
const MaxLabel = 60

const maxLastWords = 120

// NotePlace sets k.Place and k.LastWords to those of a session. If the session has not ended, it
// also clears k.Outcome.
func (k *SavedSession) NotePlace(session *Session) {
	k.Machine, k.Place, k.LastWords = session.Machine.ID, session.Machine.placeWords(session.Standing), ""
	if !session.Standing.IsFinished() {
		k.Outcome = ""
	}
	for _, m := range slices.Backward(session.Messages) {
		if m.Role == wire.RoleAssistant {
			said := []rune(terminal.Clean(strings.Join(strings.Fields(strings.ReplaceAll(m.Content, "*", "")), " ")))
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

// SessionRow contains the texts of a remembered session in a list: its title, a description (place,
// persona and time), the tag "here" for the present session, and its last words.
type SessionRow struct{ Title, About, Tag, LastWords string }

// DescribeSession returns the row for a remembered session. present is the id of the present
// session.
func DescribeSession(k *SavedSession, present string, now time.Time) SessionRow {
	name := terminal.Clean(cmp.Or(k.PersonaName, k.Persona))
	about := "as " + terminal.Clean(k.PlayerName)
	if !k.UsedAt.IsZero() {
		about += ", " + AgoWords(now.Sub(k.UsedAt))
	}
	row := SessionRow{Title: name, About: about, LastWords: terminal.Clean(k.LastWords)}
	if k.Label != "" {
		row.Title, row.About = terminal.Clean(k.Label), "with "+name+" "+about
	}
	if k.Place != "" {
		row.About = terminal.Clean(k.Place) + ", " + row.About
	}
	if k.UserSessionID == present {
		row.Tag = "here"
	}
	return row
}

// AgoWords returns how long ago something happened, in words.
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

// usualGender is the gender that the chat sends to the service if it did not ask the player. It
// asks only if the persona's texts depend on the gender.
const usualGender = "non-binary"

// NeedsName reports whether the chat must ask the player for a name.
func (user *UserSession) NeedsName() bool { return user.Saved.PlayerName == "" }

// NeedsGender reports whether the chat must ask the player for a gender, that is, whether the
// gender is unknown and the persona's texts depend on it.
func (user *UserSession) NeedsGender() bool {
	return !IsGender(user.Saved.PlayerGender) && user.Persona.usesGender()
}

// IsComplete reports whether the chat needs no more data about the player.
func (user *UserSession) IsComplete() bool { return !user.NeedsName() && !user.NeedsGender() }

// GenderReason returns why the chat asks for a gender, and the gender that Enter selects.
func (user *UserSession) GenderReason() string {
	return "Some texts depend on your gender. Enter selects " + usualGender + "."
}

// KeptName is the note that the name was saved and how to change it.
const KeptName = "Your name is saved; /name changes it."

// SetPlayer sets the player's name and gender in the session, and as defaults for other personas in
// this chat. An empty value leaves the present value unchanged.
func (r *Requester) SetPlayer(user *UserSession, name, gender string) {
	if name != "" {
		user.Saved.PlayerName, r.UsualName = name, name
	}
	if gender != "" {
		user.Saved.PlayerGender, r.UsualGender = gender, gender
	}
}

// KeepPlayer stores the player's name and gender for later chats.
func (r *Requester) KeepPlayer(name, gender string) error {
	if r.Options.KeepPlayer == nil {
		return nil
	}
	return r.Options.KeepPlayer(name, gender)
}

// NameIn returns the player's name in a session. A session keeps the name with which it began.
func (user *UserSession) NameIn(session *Session) string {
	return terminal.Clean(cmp.Or(session.PlayerName, user.Saved.PlayerName))
}

// RenamePlayer stores the player's new name in saved for later chats and for this session.
// Characters use the new name from the next conversation on.
func (r *Requester) RenamePlayer(saved SavedSession) error {
	if err := r.KeepPlayer(saved.PlayerName, ""); err != nil {
		return err
	}
	return r.Memory.Remember(saved)
}

// NameNews returns a note that the player has a new name.
func NameNews(name string) string {
	return fmt.Sprintf("Characters call you %s from the next conversation on. %s", terminal.Clean(name), KeptName)
}

// NameWords returns the player's name and how to change it.
func NameWords(name string) string {
	return fmt.Sprintf("You are %s. To change your name, write /name and another name.", terminal.Clean(name))
}
