package localserver

import (
	"context"

	"github.com/parley-npc/parley/localserver/play"
	"github.com/parley-npc/parley/personas/wire"
)

type playerInput struct {
	PersonaID     string `path:"persona_id"`
	UserSessionID string `query:"user_session_id" required:"true" minLength:"1" maxLength:"200"`
	Body          *namesBody
}

func (in *playerInput) playerRef(c *call) play.Ref {
	return c.playerRef(in.PersonaID, in.UserSessionID, "")
}

func (h *handlers) getProgress(ctx context.Context, c *call, in *playerInput) (wire.Progress, error) {
	return h.play.Progress(ctx, in.playerRef(c))
}

func (h *handlers) resetProgress(ctx context.Context, c *call, in *playerInput) (wire.ProgressReset, error) {
	return h.play.ResetProgress(ctx, in.playerRef(c))
}

func (h *handlers) listAvailable(ctx context.Context, c *call, in *playerInput) ([]wire.AvailableMachine, error) {
	return h.play.Available(ctx, in.playerRef(c))
}

type migrateBody struct{ wire.Migrate }

type migrateInput struct{ Body migrateBody }

func (h *handlers) migrateProgress(ctx context.Context, c *call, in *migrateInput) (wire.Migrated, error) {
	return h.play.Migrate(ctx, c.User.ID, in.Body.OldSessionID)
}
