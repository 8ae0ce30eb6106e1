package service

import (
	"context"

	"github.com/parley-npc/parley/personas/playtest"
)

// A FileWatch selects local persona files, which are uploaded to a service whenever they change.
type FileWatch struct {
	*Service
	Paths []string
	// Temporary is set if the service's address or data is gone when the server stops. Then
	// parley.lock is not written.
	Temporary bool
	// Conversations returns a persona's conversations that have not ended. ownerID is the persona's
	// owner. If nil, conversations are not compared.
	Conversations func(ctx context.Context, personaID, ownerID string) ([]playtest.Conversation, error)
	// Judge judges the conversations' messages again. If nil, each message keeps its decision.
	Judge playtest.Judge
}
