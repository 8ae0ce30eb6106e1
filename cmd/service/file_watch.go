package service

import (
	"context"

	"github.com/parley-npc/parley/personas/playtest"
)

// A FileWatch selects persona files that are saved on a service whenever they change.
type FileWatch struct {
	*Service
	Paths []string
	// Temporary means that the service's address or data is gone when the server stops, so nothing
	// is written to parley.lock.
	Temporary bool
	// Conversations returns the conversations of a persona and an owner that have not ended. If it
	// is nil, conversations are not compared.
	Conversations func(ctx context.Context, personaID, ownerID string) ([]playtest.Conversation, error)
	// Judge judges the messages of these conversations again. If it is nil, their decisions are
	// kept.
	Judge playtest.Judge
}
