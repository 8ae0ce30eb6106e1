package conversation

import (
	"context"
	"slices"

	"github.com/parley-npc/parley/personas/wire"
)

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
