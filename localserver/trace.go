package localserver

import (
	"context"

	"github.com/parley-npc/parley/personas/wire"
)

// trace answers the persona's owner why a session went as it did.
func (s *service) trace(ctx context.Context, c *call, in *sessionInput) (wire.Trace, error) {
	return s.play.Trace(ctx, c.ref(in.PersonaID, in.UserSessionID, in.MachineID))
}
