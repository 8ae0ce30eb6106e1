package play

import (
	"context"

	"github.com/parley-npc/parley/localserver/store"
	"github.com/parley-npc/parley/personas/wire"
)

// Session gives the session on the machine named, or else the one opened last,
// without its messages. It refuses NotFound and Forbidden.
func (s *Service) Session(ctx context.Context, r Ref) (wire.Session, error) {
	loaded, err := s.Store.LoadSession(ctx, r.storePlayer(), r.Machine, 0)
	if err != nil {
		return wire.Session{}, refusalOf(err)
	}
	n := &loaded.Session
	return wire.Session{
		SessionID: n.ID, PersonaID: loaded.Persona.ID, MachineID: n.MachineID,
		CurrentState: n.Engine.State, Score: n.Engine.Score, Outcome: textOrNull(n.Engine.Outcome),
		PlayerName: n.PlayerName, PlayerGender: n.PlayerGender,
		StartedAt: wire.Time{Time: n.StartedAt}, LastMessageAt: wire.Time{Time: n.LastMessageAt},
	}, nil
}

// History gives the session on the machine named, or else the one opened last,
// with all its messages, oldest first. It refuses NotFound and Forbidden.
func (s *Service) History(ctx context.Context, r Ref) (wire.History, error) {
	loaded, err := s.Store.LoadHistory(ctx, r.storePlayer(), r.Machine)
	if err != nil {
		return wire.History{}, refusalOf(err)
	}
	n := &loaded.Session
	history := wire.History{
		SessionID: n.ID, PersonaID: loaded.Persona.ID, Messages: historyMessages(loaded.Recent),
		CurrentState: n.Engine.State, Score: n.Engine.Score, Outcome: textOrNull(n.Engine.Outcome),
		PlayerName: n.PlayerName, PlayerGender: n.PlayerGender,
		StartedAt: wire.Time{Time: n.StartedAt}, LastMessageAt: wire.Time{Time: n.LastMessageAt},
	}
	if !n.Engine.IsFinished() {
		history.RedirectCount = &n.Engine.Redirects
	}
	return history, nil
}

func historyMessages(kept []store.Message) []wire.HistoryMessage {
	messages := make([]wire.HistoryMessage, len(kept))
	for i, m := range kept {
		messages[i] = wire.HistoryMessage{
			ID: m.ID, Role: m.Role, Content: m.Content, StateKeyAtTime: m.State, ScoreAtTime: m.Score,
			Decision: textOrNull(m.Decision), FollowUpTriggered: m.FollowUp, Aside: m.Aside, CreatedAt: wire.Time{Time: m.At},
		}
	}
	return messages
}
