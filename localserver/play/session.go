package play

import (
	"context"
	"time"

	"github.com/parley-npc/parley/personas"
)

// Session is where a session stands.
type Session struct {
	SessionID, PersonaID, MachineID string
	CurrentState                    string
	Score                           int
	Outcome                         personas.Outcome
	PlayerName, PlayerGender        string
	StartedAt, LastMessageAt        time.Time
}

// Session gives the session on the machine named, or else the one opened last,
// without its messages. It refuses NotFound and Forbidden.
func (s *Service) Session(ctx context.Context, r Ref) (Session, error) {
	l, err := s.Store.Load(ctx, r.who(), r.Machine, 0)
	if err != nil {
		return Session{}, refused(err)
	}
	n := &l.Session
	return Session{
		SessionID: n.ID, PersonaID: l.Persona.ID, MachineID: n.MachineID,
		CurrentState: n.Engine.State, Score: n.Engine.Score, Outcome: n.Engine.Outcome,
		PlayerName: n.PlayerName, PlayerGender: n.PlayerGender, StartedAt: n.StartedAt, LastMessageAt: n.LastMessageAt,
	}, nil
}
