package play

import (
	"context"

	"github.com/parley-npc/parley/personas/wire"
)

// Session returns the session on the machine named, or else the one opened last,
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
