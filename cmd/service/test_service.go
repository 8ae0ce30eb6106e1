package service

import (
	"context"
	"sync"

	"github.com/parley-npc/parley/personas"
	"github.com/parley-npc/parley/personas/playtest"
)

// TestService is the service on which the play-throughs are played.
type TestService struct {
	*Service
	Local *ThrowAwayServer // nil for somebody else's service
	// Players is the service as players call it. On the throw-away server they
	// have no token, which would be checked at every step.
	Players playtest.Service
	// saved are the personas that were saved only to be played.
	mu    sync.Mutex
	saved []string
}

// Close takes off the service what the test has put there, the players' traces
// with it. Its error is of a recording that could not be ended.
func (v *TestService) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopPatience)
	defer cancel()
	if v.Local != nil {
		return v.Local.Server.Shutdown(ctx)
	}
	for _, id := range v.saved {
		_ = v.DeletePersona(ctx, id) // It says nothing new: the service is gone, or the persona is.
	}
	return nil
}

// PrepareSubject saves a persona, so that it can be played.
func (v *TestService) PrepareSubject(ctx context.Context, doc *personas.Persona) (*playtest.Subject, error) {
	saved, _, err := v.SavePersona(ctx, "", doc, "")
	if err != nil {
		return nil, err
	}
	v.mu.Lock()
	v.saved = append(v.saved, saved.ID)
	v.mu.Unlock()
	if v.Local != nil {
		if _, err := v.PublishPersona(ctx, saved.ID); err != nil {
			return nil, err
		}
	}
	full, err := v.FullPersona(ctx, saved.ID)
	if err != nil {
		return nil, err
	}
	return playtest.NewSubject(saved.ID, doc, full.Machines)
}
