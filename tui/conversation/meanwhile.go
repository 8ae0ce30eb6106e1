package conversation

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/parley-npc/parley/personas/wire"
)

// Meanwhile contains the messages from other windows before a turn.
type Meanwhile struct {
	Earlier []ToldMessage // not yet shown in this window
	Before  Standing      // before the turn
	// Session is the session directly after the turn.
	Session *Session
}

// maxCompared is the maximum number of messages in a session for ReadMeanwhile.
const maxCompared = 2000

const compareTimeout = 3 * time.Second

// ReadMeanwhile reads the session again after a turn, to find messages from other windows.
// ReadMeanwhile returns nil after an error, for a long session, or without the turn in the history.
func (r *Requester) ReadMeanwhile(
	ctx context.Context, user *UserSession, session *Session, text string, reply *wire.Reply,
) *Meanwhile {
	if len(session.Messages) > maxCompared {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, min(r.CallTimeout, compareTimeout))
	defer cancel()
	h, err := r.Service.HistoryAtOnce(ctx, user.Persona.ID, user.Saved.UserSessionID, session.Machine.ID)
	if err != nil {
		return nil // The next turn finds the messages.
	}
	return compareHistory(session, h, text, reply)
}

func compareHistory(session *Session, history wire.History, text string, reply *wire.Reply) *Meanwhile {
	turn := findTurn(history.Messages, text, reply.Message)
	if turn < 0 {
		return nil
	}
	result, seen := &Meanwhile{Session: sessionOf(session.Machine, history)}, len(session.Messages)
	if turn < seen || !continuesSession(history, session) {
		seen = 0 // restarted in another window
	}
	messages := result.Session.TellMessages()
	result.Earlier, result.Before = messages[seen:turn], messages[turn].Before
	result.Session.Messages = history.Messages[:turn+2]
	return result
}

func findTurn(messages []wire.HistoryMessage, text, reply string) int {
	for i := len(messages) - 2; i >= 0; i-- {
		message, answer := &messages[i], &messages[i+1]
		if message.Role == wire.RoleUser && sameWords(message.Content, text) && sameWords(answer.Content, reply) {
			return i
		}
	}
	return -1
}

func sameWords(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

func continuesSession(history wire.History, session *Session) bool {
	if history.SessionID != session.ID || len(history.Messages) < len(session.Messages) {
		return false
	}
	for i, message := range session.Messages {
		now := history.Messages[i]
		haveIDs := message.ID != "" && now.ID != ""
		if message.Role != now.Role || haveIDs && message.ID != now.ID {
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
	messages := m.Session.TellMessages()
	return messages[len(messages)-len(m.Messages):]
}

// Unseen is a session that was read again after a lost reply.
type Unseen struct {
	Session  *Session
	Messages []wire.HistoryMessage // unseen, oldest first
	// Unlocked contains the ids of the machines that an unseen ending has unlocked.
	Unlocked []string
}

// ReadUnseen reads a session again, without retries, to find unseen messages. before is the last
// list of machines, or nil. After an unseen ending, a comparison with before finds the unlocked
// machines.
func (r *Requester) ReadUnseen(
	ctx context.Context, user *UserSession, session *Session, before []ListedMachine,
) (*Unseen, error) {
	ctx, cancel := context.WithTimeout(ctx, r.CallTimeout)
	defer cancel()
	h, err := r.Service.HistoryAtOnce(ctx, user.Persona.ID, user.Saved.UserSessionID, session.Machine.ID)
	if err != nil {
		return nil, err
	}
	fresh := sessionOf(session.Machine, h)
	unseen := &Unseen{Session: fresh, Messages: fresh.Messages}
	if continuesSession(h, session) {
		unseen.Messages = fresh.Messages[len(session.Messages):]
	}
	if len(unseen.Messages) == 0 || !fresh.Standing.IsFinished() || session.Standing.IsFinished() {
		return unseen, nil
	}
	after, _, err := r.ListMachines(ctx, user)
	if err != nil {
		return nil, err
	}
	unseen.Unlocked = listOpened(before, after)
	return unseen, nil
}

func listOpened(before, after []ListedMachine) []string {
	var ids []string
	if before == nil {
		return nil
	}
	for _, now := range after {
		wasOpen := slices.ContainsFunc(before, func(earlier ListedMachine) bool {
			return earlier.ID == now.ID && earlier.Status != MachineLocked
		})
		if now.Status == MachineOpen && !wasOpen {
			ids = append(ids, now.ID)
		}
	}
	return ids
}
