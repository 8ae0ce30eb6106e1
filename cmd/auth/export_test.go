package auth

import (
	"context"

	"github.com/parley-npc/parley/cmd/service"
)

// RunTree runs a command line of the whole tree, which package connect cannot see;
// TestMain sets it to cmd.Run.
var RunTree func(ctx context.Context, a *service.Access, args []string) int
