package play

import (
	"context"

	"github.com/parley-npc/parley/personas/wire"
)

// Session returns the session on r.Machine, or the session that was opened last if r.Machine is
// empty, without its messages. It returns an *Error of kind NotFound or Forbidden.
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
