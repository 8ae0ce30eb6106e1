package service

import (
	"context"

	"github.com/parley-npc/parley/personas/replay"
)

// FileWatch describes persona files that are saved on a service whenever they change.
type FileWatch struct {
	*Service
	Paths []string
	// Temporary means that the service's address or its data ends with the server, so that nothing
	// is written into parley.lock.
	Temporary bool
	// Conversations returns conversations with a persona of an owner that have not ended; nil
	// reports none.
	Conversations func(ctx context.Context, personaID, ownerID string) ([]replay.Conversation, error)
	// Judge judges the messages of these conversations again; nil keeps the verdicts.
	Judge replay.Judge
}
