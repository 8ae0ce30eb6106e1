package conversation

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// Meanwhile contains the messages that the player has sent in another window with the same session,
// before a turn in this window.
type Meanwhile struct {
	Earlier []ToldMessage // the messages that this window has not shown
	Before  Standing      // the standing before the turn
	// Session is the session directly after the turn.
	Session *Session
}

// maxCompared is the maximum number of messages in a session for ReadMeanwhile. Longer sessions are
// not read again after each turn.
const maxCompared = 2000

const comparePatience = 3 * time.Second

// ReadMeanwhile reads the session after a turn and finds messages from other windows. It returns
// nil if it cannot read the session, or if the session lacks the turn or is too long.
func (r *Requester) ReadMeanwhile(ctx context.Context, user *UserSession, session *Session, text string, reply *wire.Reply) *Meanwhile {
	if len(session.Messages) > maxCompared {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, min(r.CallTimeout, comparePatience))
	defer cancel()
	h, err := r.Service.HistoryAtOnce(ctx, user.Persona.ID, user.Saved.UserSessionID, session.Machine.ID)
	if err != nil {
		return nil // The turn itself was stored. The comparison after the next turn finds messages missed now.
	}
	return compareHistory(session, h, text, reply)
}

// compareHistory finds the player's turn in a history, and the messages before the turn that were
// not shown. It returns nil if the history lacks the turn.
func compareHistory(session *Session, h wire.History, text string, reply *wire.Reply) *Meanwhile {
	turn := findTurn(h.Messages, text, reply.Message)
	if turn < 0 {
		return nil
	}
	m, seen := &Meanwhile{Session: sessionOf(session.Machine, h)}, len(session.Messages)
	if turn < seen || !continuesSession(h, session) {
		seen = 0 // The part was restarted in another window.
	}
	told := m.Session.TellMessages()
	m.Earlier, m.Before = told[seen:turn], told[turn].Before
	m.Session.Messages = h.Messages[:turn+2]
	return m
}

func findTurn(messages []wire.HistoryMessage, text, reply string) int {
	for i := len(messages) - 2; i >= 0; i-- {
		if messages[i].Role == wire.RoleUser && sameWords(messages[i].Content, text) && sameWords(messages[i+1].Content, reply) {
			return i
		}
	}
	return -1
}

func sameWords(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

func continuesSession(h wire.History, session *Session) bool {
	if h.SessionID != session.ID || len(h.Messages) < len(session.Messages) {
		return false
	}
	for i, was := range session.Messages {
		now := h.Messages[i]
		if was.Role != now.Role || was.ID != "" && now.ID != "" && was.ID != now.ID {
			return false
		}
	}
	return true
}

// HasTurn reports whether the unseen messages contain a message of the player with the given text.
func (m *Unseen) HasTurn(text string) bool {
	for i := range m.Messages {
		if m.Messages[i].Role == wire.RoleUser && m.Messages[i].Content == text {
			return true
		}
	}
	return false
}

// TellUnseen returns the unseen messages with the standing before and after each.
func (m *Unseen) TellUnseen() []ToldMessage {
	told := m.Session.TellMessages()
	return told[len(told)-len(m.Messages):]
}

// Unseen is a session that was read again after a reply was lost. It includes the messages that the
// player has not seen.
type Unseen struct {
	Session  *Session
	Messages []wire.HistoryMessage // the unseen messages, oldest first
	// Unlocked contains the ids of the machines that an unseen ending has unlocked.
	Unlocked []string
}

// ReadUnseen reads a session again and finds the messages that the player has not seen. It finds
// the machines that an unseen ending has unlocked by comparing the list of machines with before,
// because the history does not contain them. before is the list from before the ending, or nil.
// ReadUnseen does not retry.
func (r *Requester) ReadUnseen(ctx context.Context, user *UserSession, session *Session, before []ListedMachine) (*Unseen, error) {
	ctx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	h, err := r.Service.HistoryAtOnce(ctx, user.Persona.ID, user.Saved.UserSessionID, session.Machine.ID)
	if err != nil {
		return nil, err
	}
	seen := sessionOf(session.Machine, h)
	m := &Unseen{Session: seen, Messages: seen.Messages}
	if continuesSession(h, session) {
		m.Messages = seen.Messages[len(session.Messages):]
	}
	if len(m.Messages) == 0 || !seen.Standing.IsFinished() || session.Standing.IsFinished() {
		return m, nil
	}
	after, _, err := r.ListMachines(ctx, user)
	if err != nil {
		return nil, err
	}
	m.Unlocked = listOpened(before, after)
	return m, nil
}

// listOpened returns the ids of the machines that are open in after, and locked or missing in
// before. If before is nil, it returns nil.
func listOpened(before, after []ListedMachine) []string {
	var ids []string
	for _, now := range after {
		wasOpen := slices.ContainsFunc(before, func(was ListedMachine) bool { return was.ID == now.ID && was.Status != MachineLocked })
		if before != nil && now.Status == MachineOpen && !wasOpen {
			ids = append(ids, now.ID)
		}
	}
	return ids
}
