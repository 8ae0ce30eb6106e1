package localserver

import (
	"context"

	"github.com/parley-npc/parley/personas/wire"
)

// playerInput names a player of a persona.
type playerInput struct {
	PersonaID     string `path:"persona_id"`
	UserSessionID string `query:"user_session_id" required:"true" minLength:"1" maxLength:"200"`
}

func (s *service) progress(ctx context.Context, c *call, in *playerInput) (wire.Progress, error) {
	return s.play.Progress(ctx, c.ref(in.PersonaID, in.UserSessionID, ""))
}

func (s *service) resetProgress(ctx context.Context, c *call, in *playerInput) (wire.ProgressReset, error) {
	return s.play.ResetProgress(ctx, c.ref(in.PersonaID, in.UserSessionID, ""))
}

func (s *service) availableMachines(ctx context.Context, c *call, in *playerInput) ([]wire.AvailableMachine, error) {
	return s.play.Available(ctx, c.ref(in.PersonaID, in.UserSessionID, ""))
}
