package localserver

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parley-npc/parley/personas/wire"
)

func (s *service) me(_ context.Context, c *call, _ *struct{}) (wire.User, error) {
	return wire.User{ID: c.user.ID, Email: c.user.Email, DisplayName: c.user.DisplayName}, nil
}

// migrateBody is wire.Migrate with its limits.
type migrateBody struct{ wire.Migrate }

// TransformSchema gives the members their limits.
func (migrateBody) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	limitText(s, "old_session_id", wire.MaxUserSessionID)
	return s
}

type migrateInput struct{ Body migrateBody }

func (s *service) migrateProgress(ctx context.Context, c *call, in *migrateInput) (wire.Migrated, error) {
	return s.play.Migrate(ctx, c.user.ID, in.Body.OldSessionID)
}
