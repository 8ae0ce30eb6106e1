package service

import (
	"context"

	"github.com/parley-npc/parley/personas/playtest"
)

// A FileWatch selects persona files that are saved on a service whenever they change.
type FileWatch struct {
	*Service
	Paths []string
	// Temporary means that the service's address or data is gone when the server stops. Then
	// nothing is written to parley.lock.
	Temporary bool
	// Conversations returns the conversations with a persona that have not ended. ownerID is the
	// owner of the persona. Conversations are not compared if the function is nil.
	Conversations func(ctx context.Context, personaID, ownerID string) ([]playtest.Conversation, error)
	// Judge judges the messages of these conversations again. Their decisions are kept if it is
	// nil.
	Judge playtest.Judge
}
