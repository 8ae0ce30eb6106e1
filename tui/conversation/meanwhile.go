package conversation

import (
	"context"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// Meanwhile is the messages of others in the session before the player's own turn, in another
// window or on the page.
type Meanwhile struct {
	Earlier []ToldMessage // what was said before the turn and was not seen
	Before  Standing      // where the turn began
	// Anew means that the part was restarted elsewhere: Earlier is all of it.
	Anew bool
	// Session is the session right after the turn.
	Session *Session
}

// maxCompared is up to how many messages a session is read again behind each turn: a
// longer one is read again when the part is next opened.
const maxCompared = 2000

// comparePatience is how long the end of a turn waits for that.
const comparePatience = 3 * time.Second

// ReadMeanwhile reads the session after a turn and finds unseen messages from elsewhere. It returns
// nil if it cannot tell.
func (r *Requester) ReadMeanwhile(ctx context.Context, v *UserSession, sc *Session, text string, reply *wire.Reply) *Meanwhile {
	if len(sc.Messages) > maxCompared {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, min(r.CallTimeout, comparePatience))
	defer cancel()
	h, err := r.Service.HistoryAtOnce(ctx, v.Persona.ID, v.Saved.UserSessionID, sc.Machine.ID)
	if err != nil {
		return nil // The turn has counted; what was missed is found behind the next one.
	}
	return compareHistory(sc, h, text, reply)
}

// compareHistory finds the player's turn in a history, and the unseen messages before it.
func compareHistory(sc *Session, h wire.History, text string, reply *wire.Reply) *Meanwhile {
	turn := findTurn(h.Messages, text, reply.Message)
	if turn < 0 {
		return nil
	}
	m := &Meanwhile{Session: sessionOf(sc.Machine, h), Anew: turn < len(sc.Messages) || !continuesSession(h, sc)}
	seen := len(sc.Messages)
	if m.Anew {
		seen = 0
	}
	told := m.Session.TellMessages()
	m.Earlier, m.Before = told[seen:turn], told[turn].Before
	m.Session.Messages = h.Messages[:turn+2]
	return m
}

// findTurn returns where a turn is in a history, the newest of the same words first; -1
// for nowhere.
func findTurn(messages []wire.HistoryMessage, text, reply string) int {
	for i := len(messages) - 2; i >= 0; i-- {
		if messages[i].Role == wire.RoleUser && sameWords(messages[i].Content, text) && sameWords(messages[i+1].Content, reply) {
			return i
		}
	}
	return -1
}

func sameWords(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// continuesSession reports whether a history begins with the seen messages of a session. It
// compares messages by id if that is known, and by speaker otherwise.
func continuesSession(h wire.History, sc *Session) bool {
	if h.SessionID != sc.ID || len(h.Messages) < len(sc.Messages) {
		return false
	}
	for i, was := range sc.Messages {
		now := h.Messages[i]
		if was.Role != now.Role || was.ID != "" && now.ID != "" && was.ID != now.ID {
			return false
		}
	}
	return true
}

// HasTurn reports whether a text of the player is among what was not seen.
func (m *Unseen) HasTurn(text string) bool {
	for i := range m.Messages {
		if m.Messages[i].Role == wire.RoleUser && m.Messages[i].Content == text {
			return true
		}
	}
	return false
}

// TellUnseen returns the unseen messages with the player's place at each.
func (m *Unseen) TellUnseen() []ToldMessage {
	told := m.Session.TellMessages()
	return told[len(told)-len(m.Messages):]
}
