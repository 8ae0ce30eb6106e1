package conversation

import (
	"context"
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
